import type { z } from 'zod'
import {
  actionSummarySchema,
  auditExportSchema,
  decisionRequestSchema,
  decisionResponseSchema,
  heldActionSchema,
  traceEventSchema,
  traceSchema,
} from './action.ts'
import { registeredActuatorSchema } from './actuator.ts'
import { auditEventSchema } from './audit.ts'
import { catalogChangeSchema, catalogRevisionSchema, catalogSchema } from './catalog.ts'
import { problemSchema } from './errors.ts'
import { policySchema } from './policy.ts'
import { policyTemplateSchema } from './policy-template.ts'
import { proposalSchema } from './proposal.ts'
import {
  apiKeySchema,
  configFileSchema,
  keyRequestSchema,
  normalizedPolicySchema,
  policyChangeSchema,
  policyStateSchema,
  tenantRequestSchema,
  tenantSchema,
} from './tenant.ts'
import { verdictSchema } from './verdict.ts'

/** What `/schemas/{name}.schema.json` serves (specification section 4): each has an id, a title and a description. */
export const resources = {
  'action-summary': actionSummarySchema,
  'action-trace': traceSchema,
  actuator: registeredActuatorSchema,
  'api-key': apiKeySchema,
  'audit-event': auditEventSchema,
  'audit-export': auditExportSchema,
  catalog: catalogSchema,
  'catalog-change': catalogChangeSchema,
  'catalog-revision': catalogRevisionSchema,
  'config-file': configFileSchema,
  'decision-request': decisionRequestSchema,
  'decision-response': decisionResponseSchema,
  event: traceEventSchema,
  'held-action': heldActionSchema,
  'key-request': keyRequestSchema,
  'normalized-policy': normalizedPolicySchema,
  policy: policySchema,
  'policy-change': policyChangeSchema,
  'policy-revision': policyStateSchema,
  'policy-template': policyTemplateSchema,
  problem: problemSchema,
  proposal: proposalSchema,
  tenant: tenantSchema,
  'tenant-request': tenantRequestSchema,
  verdict: verdictSchema,
} as const satisfies Record<string, z.ZodType>

export type ResourceName = keyof typeof resources
export const resourceNames = Object.keys(resources) as [ResourceName, ...ResourceName[]]
