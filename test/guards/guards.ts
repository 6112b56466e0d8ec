import type { Guard } from './guard.ts'
import { auditGuards } from './table/audit-guards.ts'
import { completionGuards } from './table/completion-guards.ts'
import { decisionGuards } from './table/decision-guards.ts'
import { executionGuards } from './table/execution-guards.ts'
import { grantGuards } from './table/grant-guards.ts'
import { outcomeGuards } from './table/outcome-guards.ts'
import { ownerGuards } from './table/owner-guards.ts'
import { quorumGuards } from './table/quorum-guards.ts'
import { routeGuards } from './table/route-guards.ts'
import { secretGuards } from './table/secret-guards.ts'
import { sessionGuards } from './table/session-guards.ts'
import { slackGuards } from './table/slack-guards.ts'
import { tenantGuards } from './table/tenant-guards.ts'
import { toolGuards } from './table/tool-guards.ts'
import { verifierGuards } from './table/verifier-guards.ts'

/** Every guard that the script of this folder takes away. */
export const guards: readonly Guard[] = [
  ...executionGuards,
  ...outcomeGuards,
  ...completionGuards,
  ...sessionGuards,
  ...decisionGuards,
  ...tenantGuards,
  ...ownerGuards,
  ...toolGuards,
  ...secretGuards,
  ...quorumGuards,
  ...routeGuards,
  ...grantGuards,
  ...slackGuards,
  ...auditGuards,
  ...verifierGuards,
]
