import type { AuditExport } from '../../contract/action/action.ts'
import type { AuditEvent } from '../../contract/action/audit.ts'
import type { SignedCheckpoint } from '../note/checkpoint.ts'

/** What is checked of an export, in the order in which it is; the first that fails ends the verification. */
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
 * `not_proven` is said of what the file does not show; with `erased`, because content was erased by the rules, which
 * takes nothing from the outcome.
 */
export interface Finding {
  status: 'proven' | 'not_proven' | 'failed'
  reason: string
  erased?: boolean
}

export interface Check extends Finding {
  name: CheckName
}

export type Outcome = 'verified' | 'verified_open' | 'incomplete' | 'legacy' | 'invalid'

/** What an export proves; `problem` is the first thing wrong, `notes` what a reader should know besides. */
export interface Verification {
  outcome: Outcome
  problem: string | null
  checks: Check[]
  notes: string[]
}

/** An export that could be read, with its notes opened: what every check after `format` looks at. */
export interface OpenedExport {
  exported: AuditExport
  events: AuditEvent[]
  leaves: Buffer[]
  statement: SignedCheckpoint | null
  checkpoint: SignedCheckpoint | null
  /** A checkpoint that the auditor kept; null where none was given. */
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
