export { accounts, devices, organizations, passwordPepper, sessions, tenantOwners } from './accounts.ts'
export { schema } from './columns.ts'
export { apiKeys } from './keys.ts'
export { actionEvents, actions, eventPayloads, executionJobs, lateResults, leaseTokens } from './ledger.ts'
export {
  actionStatements,
  logCheckpoints,
  logEntries,
  logKeys,
  logNodes,
  logOutbox,
  signingKeys,
  tenantLogs,
  unsignedStatements,
} from './log.ts'
export { queueSamples } from './queue.ts'
export { tenantSecrets } from './secrets.ts'
export {
  actuators,
  catalogRevisions,
  configEvents,
  configPayloads,
  freezes,
  policyRevisions,
  scanCursors,
  tenants,
} from './tenancy.ts'
export { reportSignatures, unsignedReports, verificationReports } from './verification.ts'
export { webhookDeliveries, webhooks } from './webhooks.ts'
export { workers } from './workers.ts'
