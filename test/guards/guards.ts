import { auditGuards } from './audit-guards.ts'
import { completionGuards } from './completion-guards.ts'
import { decisionGuards } from './decision-guards.ts'
import { executionGuards } from './execution-guards.ts'
import { grantGuards } from './grant-guards.ts'
import type { Guard } from './guard.ts'
import { outcomeGuards } from './outcome-guards.ts'
import { ownerGuards } from './owner-guards.ts'
import { quorumGuards } from './quorum-guards.ts'
import { routeGuards } from './route-guards.ts'
import { secretGuards } from './secret-guards.ts'
import { sessionGuards } from './session-guards.ts'
import { slackGuards } from './slack-guards.ts'
import { tenantGuards } from './tenant-guards.ts'
import { toolGuards } from './tool-guards.ts'

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
]
