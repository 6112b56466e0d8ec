/**
 * What a run leaves behind for the checker: the formats of its four files, one JSON object a line. The harness writes
 * them; the checker knows nothing else of the harness and nothing at all of the service. Times are milliseconds since
 * 1970 by the clock of the one machine that all processes run on.
 */
export interface Evidence {
  ledger: LedgerLine[]
  journal: JournalLine[]
  faults: FaultLine[]
  exports: ExportLine[]
}

/** A call that reached the downstream, written and synced by it before it answered. */
export interface LedgerLine {
  endpoint: 'keyed' | 'plain'
  key: string
  action_id: string
  tenant_id: string
  attempt: number
  /** What the call was told to do. */
  script: string
  arrived: number
  /** When it was decided what happens. */
  at: number
  effect: boolean
  /** `replayed`: the key had its effect before. */
  answer: 'done' | 'replayed' | 'refused' | 'busy' | 'late' | 'none'
}

/** A request of a client and what it knows of its fate: a request that was not answered is `info`, never `fail`. */
export interface JournalLine {
  op: 'submit' | 'approve' | 'reject' | 'cancel'
  tenant_id: string
  proposal_id: string
  action_id: string | null
  api: string
  begun: number
  ended: number
  result: 'ok' | 'fail' | 'info'
  status: number | null
  code: string | null
}

export interface FaultLine {
  n: number
  kind: string
  victim: string
  at: number
  ended: number
  /** Whether it ends a process that holds work: worker, API or Postgres. */
  kill: boolean
  /** Calls, leases or requests that the victim had under way. */
  in_flight: number
  /** Of a worker: the actions whose lease it held; empty where nobody could be asked. */
  leased: string[]
  /** Of a process that was told to end: how long that took, in milliseconds. */
  exit_ms: number | null
}

/** The audit export of an action as the API gave it; null where it said that there is none. */
export interface ExportLine {
  tenant_id: string
  action_id: string
  exported: ExportedAudit | null
}

export interface ExportedAudit {
  tenant_id: string
  action_id: string
  events: { event: string; salt: string | null; payload: unknown }[]
  audit_root: string
}
