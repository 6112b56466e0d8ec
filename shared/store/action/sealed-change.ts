import type { Change, Entry } from '../../lifecycle/change.ts'

/** An event ready to be stored: the exact canonical text, its leaf hash, and its payload with the salt. */
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

/** A change with its audit sealed: everything that one write of the ledger needs. */
export interface SealedChange {
  action_id: string
  tenant_id: string
  /** UTC with milliseconds, from the database's clock. */
  at: string
  change: Change
  rows: readonly SealedRow[]
  /** All leaves of the action after the change. */
  leaves: readonly Buffer[]
  root: Buffer
}

/** A new action: what identifies it, and the version of its tenant's rules it was decided under. */
export interface SealedOpening extends SealedChange {
  proposal_id: string
  proposal_hash: string
  target_system: string
  operation: string
  /** The key that proposed it. */
  key_id: string
  rules_version: number
  /** Of the request that proposed it. */
  traceparent: string
}
