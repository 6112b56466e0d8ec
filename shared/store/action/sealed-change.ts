import type { Change, Entry } from '../../lifecycle/change.ts'

export interface SealedRow {
  sequence: number
  kind: Entry['kind']
  from: Entry['from']
  to: Entry['to']
  text: string
  leafHash: Buffer
  payloadText: string
  salt: Uint8Array
}

export interface SealedChange {
  action_id: string
  tenant_id: string
  /** The time by the database's clock, ISO 8601 UTC with milliseconds. */
  at: string
  change: Change
  rows: readonly SealedRow[]
  leaves: readonly Buffer[]
  root: Buffer
}

/** A new action with its identifiers. `rules_version` is the version of the rules that decided it. */
export interface SealedOpening extends SealedChange {
  proposal_id: string
  proposal_hash: string
  target_system: string
  operation: string
  key_id: string
  rules_version: number
  traceparent: string
}
