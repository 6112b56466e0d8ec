import type { z } from 'zod'
import {
  accountSchema,
  loginRequestSchema,
  logoutRequestSchema,
  organizationSchema,
  ownedTenantCreatedSchema,
  ownedTenantRequestSchema,
  ownedTenantSchema,
  sessionProfileSchema,
  signedUpSchema,
  signupRequestSchema,
} from './account.ts'
import {
  actionSummarySchema,
  auditExportSchema,
  cancellationRequestSchema,
  decisionRequestSchema,
  decisionResponseSchema,
  heldActionSchema,
  resolutionRequestSchema,
  resolutionResponseSchema,
  traceEventSchema,
  traceSchema,
} from './action/action.ts'
import { auditEventSchema } from './action/audit.ts'
import {
  auditKeyListSchema,
  auditKeySchema,
  inclusionSchema,
  logCheckpointSchema,
  logEntriesSchema,
  tlogProofsSchema,
} from './action/audit-log.ts'
import { erasureRequestSchema, erasureResponseSchema } from './action/erasure.ts'
import { integrationSchema } from './action/integration.ts'
import { proposalSchema } from './action/proposal.ts'
import { streamedLeafSchema } from './action/stream.ts'
import { verdictSchema } from './action/verdict.ts'
import { problemSchema } from './base/errors.ts'
import { actuatorListSchema, registeredActuatorSchema } from './configuration/actuator.ts'
import {
  admissionCatalogSchema,
  admissionReportSchema,
  admissionRequestSchema,
} from './configuration/admission.ts'
import {
  catalogChangeSchema,
  catalogRevisionSchema,
  catalogSchema,
  changedCatalogSchema,
} from './configuration/catalog.ts'
import { freezeRequestSchema, freezeStateSchema, pauseRequestSchema } from './configuration/freeze.ts'
import { policySchema } from './configuration/policy.ts'
import {
  checkedProposalSchema,
  policyCheckSchema,
  policyReplaySchema,
  replayReportSchema,
} from './configuration/policy-check.ts'
import { policyDiffRequestSchema, policyDiffSchema } from './configuration/policy-diff.ts'
import { policyTemplateSchema } from './configuration/policy-template.ts'
import {
  adminKeyIssuedSchema,
  adminKeyRequestSchema,
  adminKeyRevocationSchema,
  apiKeySchema,
  changedPolicySchema,
  configFileSchema,
  keyIssuedSchema,
  keyRequestSchema,
  normalizedPolicySchema,
  policyChangeSchema,
  policyRollbackSchema,
  policyStateSchema,
  policyValidationSchema,
  restoredPolicySchema,
  tenantCreatedSchema,
  tenantRequestSchema,
  tenantSchema,
} from './configuration/tenant.ts'
import {
  changedToolSchema,
  localHostSchema,
  toolChangeSchema,
  toolImportSchema,
  toolProposalSchema,
  toolSchema,
  toolTestedSchema,
  toolTestSchema,
} from './configuration/tool-import.ts'
import {
  boundReportSchema,
  draftVerificationSchema,
  verificationGateSchema,
  verificationReportSchema,
  verificationRequestSchema,
  verificationSchema,
} from './configuration/verification.ts'
import { healthSchema, readinessSchema } from './health.ts'
import { queuedJobSchema, queueSampleSchema, queueSnapshotSchema } from './queue.ts'
import {
  webhookDeliverySchema,
  webhookMessageSchema,
  webhookRequestSchema,
  webhookRotationSchema,
  webhookSchema,
  webhookSecretSchema,
} from './webhook.ts'

/** What `/schemas/{name}.schema.json` serves (specification.md#endpoints): each has an id, a title and a description. */
export const resources = {
  account: accountSchema,
  'login-request': loginRequestSchema,
  'logout-request': logoutRequestSchema,
  organization: organizationSchema,
  'owned-tenant': ownedTenantSchema,
  'owned-tenant-created': ownedTenantCreatedSchema,
  'owned-tenant-request': ownedTenantRequestSchema,
  'queue-sample': queueSampleSchema,
  'queue-snapshot': queueSnapshotSchema,
  'queued-job': queuedJobSchema,
  'session-profile': sessionProfileSchema,
  'signed-up': signedUpSchema,
  'signup-request': signupRequestSchema,
  'streamed-leaf': streamedLeafSchema,
  'action-summary': actionSummarySchema,
  'action-trace': traceSchema,
  actuator: registeredActuatorSchema,
  'actuator-list': actuatorListSchema,
  'admission-catalog': admissionCatalogSchema,
  'admission-report': admissionReportSchema,
  'admission-request': admissionRequestSchema,
  'api-key': apiKeySchema,
  'audit-event': auditEventSchema,
  'audit-export': auditExportSchema,
  'audit-key': auditKeySchema,
  'audit-key-list': auditKeyListSchema,
  'bound-report': boundReportSchema,
  'cancellation-request': cancellationRequestSchema,
  catalog: catalogSchema,
  'catalog-change': catalogChangeSchema,
  'catalog-revision': catalogRevisionSchema,
  'changed-catalog': changedCatalogSchema,
  'changed-policy': changedPolicySchema,
  'changed-tool': changedToolSchema,
  'checked-proposal': checkedProposalSchema,
  'config-file': configFileSchema,
  'tenant-created': tenantCreatedSchema,
  'tlog-proofs': tlogProofsSchema,
  'decision-request': decisionRequestSchema,
  'decision-response': decisionResponseSchema,
  'draft-verification': draftVerificationSchema,
  'erasure-request': erasureRequestSchema,
  'erasure-response': erasureResponseSchema,
  event: traceEventSchema,
  'freeze-request': freezeRequestSchema,
  'freeze-state': freezeStateSchema,
  health: healthSchema,
  'held-action': heldActionSchema,
  integration: integrationSchema,
  'key-issued': keyIssuedSchema,
  'admin-key-request': adminKeyRequestSchema,
  'admin-key-issued': adminKeyIssuedSchema,
  'admin-key-revocation': adminKeyRevocationSchema,
  'key-request': keyRequestSchema,
  'local-host': localHostSchema,
  'log-entries': logEntriesSchema,
  'log-checkpoint': logCheckpointSchema,
  'log-inclusion': inclusionSchema,
  'normalized-policy': normalizedPolicySchema,
  'pause-request': pauseRequestSchema,
  policy: policySchema,
  'policy-change': policyChangeSchema,
  'policy-check': policyCheckSchema,
  'policy-diff': policyDiffSchema,
  'policy-diff-request': policyDiffRequestSchema,
  'policy-replay': policyReplaySchema,
  'policy-revision': policyStateSchema,
  'policy-rollback': policyRollbackSchema,
  'policy-template': policyTemplateSchema,
  'policy-validation': policyValidationSchema,
  problem: problemSchema,
  proposal: proposalSchema,
  readiness: readinessSchema,
  'replay-report': replayReportSchema,
  'resolution-request': resolutionRequestSchema,
  'resolution-response': resolutionResponseSchema,
  'restored-policy': restoredPolicySchema,
  tenant: tenantSchema,
  'tenant-request': tenantRequestSchema,
  tool: toolSchema,
  'tool-change': toolChangeSchema,
  'tool-import': toolImportSchema,
  'tool-proposal': toolProposalSchema,
  'tool-test': toolTestSchema,
  'tool-tested': toolTestedSchema,
  verdict: verdictSchema,
  verification: verificationSchema,
  'verification-gate': verificationGateSchema,
  'verification-report': verificationReportSchema,
  'verification-request': verificationRequestSchema,
  webhook: webhookSchema,
  'webhook-delivery': webhookDeliverySchema,
  'webhook-message': webhookMessageSchema,
  'webhook-request': webhookRequestSchema,
  'webhook-rotation': webhookRotationSchema,
  'webhook-secret': webhookSecretSchema,
} as const satisfies Record<string, z.ZodType>

export type ResourceName = keyof typeof resources
export const resourceNames = Object.keys(resources) as [ResourceName, ...ResourceName[]]
