export {
  accounts,
  apiKeys,
  devices,
  identities,
  invitations,
  logoutTokens,
  memberRoles,
  organizationGroupMembers,
  organizationGroups,
  organizations,
  passwordPepper,
  passwordResets,
  savedViews,
  sessions,
  signIns,
  tenantOwners,
} from './account-tables.ts'
export { schema } from './columns.ts'
export { boundedGrants, grantUses } from './grant-tables.ts'
export {
  actionEvents,
  actions,
  dispatchedOperations,
  eventPayloads,
  executionJobs,
  heldActions,
  lateResults,
  leaseTokens,
  queueSamples,
  workers,
} from './ledger-tables.ts'
export {
  actionStatements,
  logCheckpoints,
  logEntries,
  logKeys,
  logNodes,
  logOutbox,
  numberHours,
  numberMarks,
  signingKeys,
  tenantLogs,
  unsignedStatements,
} from './log-tables.ts'
export { operatorSessions, operatorSignIns, operators } from './operator-tables.ts'
export { reviewAbsences, reviewGroups, reviewRoutes } from './route-tables.ts'
export { tenantSecrets } from './secrets.ts'
export { slackApps, slackLinks, slackRequests } from './slack-tables.ts'
export {
  actuators,
  catalogRevisions,
  configEvents,
  configPayloads,
  freezes,
  policyRevisions,
  scanCursors,
  tenants,
  testCalls,
} from './tenancy-tables.ts'
export { reportSignatures, unsignedReports, verificationReports } from './verification-tables.ts'
export { webhookDeliveries, webhooks } from './webhook-tables.ts'
