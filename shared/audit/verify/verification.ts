import type { AuditExport } from '../../contract/action/action.ts'
import type { AuditEvent } from '../../contract/action/audit.ts'
import type { SignedCheckpoint } from '../note/checkpoint.ts'

/** The checks of an export in their order. The first failed check ends the verification. */
export const checkNames = [
  'format',
  'keys',
  'events',
  'statement',
  'log',
  'history',
  'payloads',
  'authorisation',
  'approver',
  'idempotency',
  'ending',
  'digest',
] as const
export type CheckName = (typeof checkNames)[number]

/**
 * `not_proven` says that the file does not show the fact. With `erased` the missing content was erased by the
 * rules, so the outcome is not worse for it.
 */
export interface Finding {
  status: 'proven' | 'not_proven' | 'failed'
  reason: string
  erased?: boolean
}

export interface Check extends Finding {
  name: CheckName
}

/**
 * The result of a verification. With `verified` every check is proven, apart from content that was erased by the
 * rules. With `verified_open` only the end of the action is unproven; with `incomplete` another check is unproven.
 * A `legacy` record is older than canonical events. With `invalid` a check has failed.
 */
export type Outcome = 'verified' | 'verified_open' | 'incomplete' | 'legacy' | 'invalid'

/** The result for an export. `problem` is the first failure; `notes` are further facts for the reader. */
export interface Verification {
  outcome: Outcome
  problem: string | null
  checks: Check[]
  notes: string[]
}

export interface OpenedExport {
  exported: AuditExport
  events: AuditEvent[]
  leaves: Buffer[]
  statement: SignedCheckpoint | null
  checkpoint: SignedCheckpoint | null
  older: SignedCheckpoint | null
}

export function proven(reason: string): Finding {
  return { status: 'proven', reason }
}

export function notProven(reason: string): Finding {
  return { status: 'not_proven', reason }
}

export function notProvenSinceErased(reason: string): Finding {
  return { status: 'not_proven', reason, erased: true }
}

export function failed(reason: string): Finding {
  return { status: 'failed', reason }
}
