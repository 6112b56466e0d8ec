/**
 * What a run leaves behind for the checker: the formats of its six files, one JSON object a line. The harness writes
 * them; the checker knows nothing else of the harness and nothing at all of the service. Times are milliseconds since
 * 1970 by the clock of the one machine that all processes run on.
 */
export interface Evidence {
  ledger: LedgerLine[]
  journal: JournalLine[]
  faults: FaultLine[]
  orders: OrderLine[]
  sightings: SightingLine[]
  exports: ExportLine[]
}

/** Where calls arrive; `http_…` and `mcp_…` come from the actuators of the product. */
export type Endpoint =
  | 'keyed'
  | 'plain'
  | 'http_keyed'
  | 'http_plain'
  | 'http_loose'
  | 'http_later'
  | 'mcp_keyed'
  | RealSystem

/**
 * Servers that nobody here wrote, seen by a proxy before them; what happened is what their own data says. A program that a worker
 * starts has no proxy before it: it keeps its calls by itself.
 */
export const realSystems = ['json_server', 'graphql_http', 'mcp_everything', 'mcp_program'] as const
export type RealSystem = (typeof realSystems)[number]

/** A call that reached the downstream, written and synced by it before it answered. */
export interface LedgerLine {
  /** Its place in the order of all deliveries, from 1. */
  n: number
  endpoint: Endpoint
  /** To this endpoint a repeated key is the same call. */
  honours_key: boolean
  key: string
  /** Null where the protocol does not carry it: then the key tells. The same for the tenant and the attempt. */
  action_id: string | null
  tenant_id: string | null
  attempt: number | null
  /** 2: the downstream's own network delivered the call once more. */
  delivery: 1 | 2
  /** Method and path. */
  request: string
  /** What the action asked for, as it arrived. */
  parameters: unknown
  /** What the call was told to do. */
  script: string
  arrived: number
  /** When it was decided what happens. */
  at: number
  effect: boolean
  /**
   * `replayed`: the key had its effect before; `conflict`: the same, told to a second delivery of one call; `unanswered`: the
   * server was killed meanwhile, and nobody but its own data can tell.
   */
  answer: 'done' | 'replayed' | 'conflict' | 'refused' | 'busy' | 'late' | 'none' | 'unanswered'
}

/** A request of a client and what it knows of its fate: a request that was not answered is `info`, never `fail`. */
export interface JournalLine {
  op: 'submit' | 'approve' | 'reject' | 'cancel'
  tenant_id: string
  proposal_id: string
  action_id: string | null
  /** The id of the key that asked. */
  by: string
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

/**
 * What an operator ordered and the service acknowledged at `from`. Of a freeze or a pause: until `until`, when it began to be
 * lifted, no job of the tenant is claimed. Of a revoked key: how many requests with it were accepted afterwards. Of an erasure:
 * the export of the action before. Of a person who was ended while they worked: how many requests with their session were accepted
 * afterwards, what they were answered that nobody should be, and what they had written then and when everything was over.
 */
export type OrderLine =
  | { order: 'freeze' | 'pause'; tenant_id: string; from: number; until: number }
  | { order: 'revoke'; tenant_id: string; from: number; accepted_after: number; asked_after: number }
  | { order: 'erase'; tenant_id: string; action_id: string; from: number; before: ExportedAudit }
  | {
      order: 'end_of_person'
      tenant_id: string
      person: string
      how: string
      from: number
      accepted_after: number
      asked_after: number
      improper: string[]
      written: number
      /** Null until the end of the run. */
      at_last: number | null
    }

/** How often something was seen that a run must see to say anything. */
export interface SightingLine {
  what: 'fenced_write' | 'late_result' | 'lost_commit' | 'hanging_poll' | 'poll_beside_hanging'
  count: number
  /** Of polls that hang: whose they are. */
  tenant_id?: string
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
