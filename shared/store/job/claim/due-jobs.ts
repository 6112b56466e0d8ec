import { type LockedAction, type LockedRow, lockedAction } from '../../action/locked-actions.ts'
import type { Writer } from '../../postgres/open.ts'
import { arrayLiteral } from '../../postgres/sql-text.ts'
import { claimSql } from './claim-statement.ts'
import { keepCursors, type ScanCursor } from './scan-cursors.ts'
import { rotateTenants } from './tenant-rotation.ts'

/** A due job with what its execution needs; `token` is a fresh fencing number for this claim. */
export interface DueAction extends LockedAction {
  token: number
  /** Canonical text of the recorded proposal, null where it was erased. */
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
  waited_ms: number
  /** Since the first attempt, where one may have happened; else null. */
  tried_for_ms: number | null
  /** How the latest attempt asked for it, where one may have happened and that is recorded. */
  request_hash: string | null
}

/** Jobs that a claimer has at most: of a tenant, and of one of its systems. */
export interface Shares {
  tenant: number
  system: number
}

/** Jobs of a tenant's system that a claimer has. */
export interface TakenJobs {
  tenant_id: string
  system: string
  jobs: number
}

/** How much may be claimed, and by whom. */
export interface ClaimBounds {
  limit: number
  /** Tenants are served in turn, beginning after this one. */
  after: string
  /** Only jobs that are due at this time or later, as Postgres writes it; null: however long one is due. */
  since: string | null
  /** What the claimer may have at most, and what it has: it is read when the statement goes out, and calls end until then. */
  shares: Shares
  taken: ReadonlyMap<string, TakenJobs>
  /** Calls under way at once, over all workers. */
  tenant_in_flight_max: number
  actuator_in_flight_max: number
}

export interface ClaimReport {
  /** Where the next claim begins. */
  after: string
  /**
   * Nothing was pending before; null where not everybody was looked at. From time to time a claim must look at all, for what
   * was committed that late; before the cursors of freezes it is found when these are forgotten.
   */
  since: string | null
  /** More may be due than was taken. */
  more: boolean
  /** The tenants that were looked at, where none of them can run and there are others; else null. */
  passed: readonly string[] | null
  /** A bound on calls under way keeps jobs that are due: they may run once a call ends. */
  bounded: boolean
}

/**
 * Lock due jobs that nothing freezes, until the transaction ends: it takes their leases or leaves them. Tenants take turns,
 * so that the flood of one does not delay the single job of another. Claims of one tenant follow each other, so that bounds
 * over all workers are exact.
 */
export async function lockDueJobs(
  writer: Writer,
  bounds: ClaimBounds,
): Promise<{ due: DueAction[]; report: ClaimReport }> {
  const { limit, shares } = bounds
  const taken = [...bounds.taken.values()]
  rotateTenants(writer, bounds)
  const found = await writer.query<DueRow>('claim_due', claimSql, [
    shares.tenant,
    shares.system,
    arrayLiteral(taken.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(taken.map(({ system }) => system)),
    arrayLiteral(taken.map(({ jobs }) => jobs)),
    limit,
    bounds.tenant_in_flight_max,
    bounds.actuator_in_flight_max,
  ])
  const { line, seenTo, since, atBound, scansOn, cursors } = lineOf(found)
  const rows = found.filter(({ action_id }) => action_id !== null)
  await keepCursors(writer, cursors)
  const report = {
    after: rows.length < limit ? (seenTo ?? line.at(-1) ?? '') : (rows.at(-1)?.tenant_id ?? ''),
    since,
    more:
      rows.length === limit ||
      cursors.some(({ more }) => more) ||
      (rows.length > 0 && (scansOn || seenTo !== null)),
    passed: rows.length === 0 && seenTo !== null ? line : null,
    bounded: atBound || rows.some(({ fills }) => fills),
  }
  return { due: rows.map(dueAction), report }
}

interface Line {
  /** Tenants in their turns. */
  line: string[]
  /** The last tenant that was looked at; null where all were. */
  seenTo: string | null
  since: string | null
  /** A bound keeps jobs of theirs. */
  atBound: boolean
  /** More jobs wait behind those in whose actions it was looked. */
  scansOn: boolean
  cursors: ScanCursor[]
}

/** Who was lined up: every row tells it, and there is one though nothing was claimed. */
function lineOf([first]: readonly DueRow[]): Line {
  if (!first) throw new Error('the database did not tell who was lined up')
  const { in_line, seen_to, pending_since: since, at_bound, scans_on, cursors } = first
  return {
    line: in_line === '' ? [] : in_line.split(','),
    seenTo: seen_to === '' ? null : seen_to,
    since,
    atBound: at_bound,
    scansOn: scans_on,
    cursors: cursors ?? [],
  }
}

interface DueRow extends LockedRow {
  in_line: string
  seen_to: string
  pending_since: string | null
  at_bound: boolean
  scans_on: boolean
  cursors: ScanCursor[] | null
  token: string
  proposal: string | null
  verdict: string | null
  actuator_kind: string | null
  actuator_settings: unknown
  waited_ms: number
  tried_for_ms: number | null
  request_hash: string | null
  proven: boolean
  /** It is the last that a bound lets through, of its tenant or its system. */
  fills: boolean
}

function dueAction(row: DueRow): DueAction {
  const actuator =
    row.actuator_kind === null ? null : { kind: row.actuator_kind, settings: row.actuator_settings }
  const { proposal, verdict, waited_ms, tried_for_ms, request_hash } = row
  const token = Number(row.token)
  return {
    token,
    proposal,
    verdict,
    actuator,
    waited_ms,
    tried_for_ms,
    request_hash,
    ...lockedAction(row, { proven: row.proven }),
  }
}
