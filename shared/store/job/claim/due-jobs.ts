import { type LockedAction, type LockedRow, lockedAction } from '../../action/locked-actions.ts'
import type { Writer } from '../../postgres/open.ts'
import { arrayLiteral } from '../../postgres/sql-text.ts'
import { claimSql } from './claim-statement.ts'
import { keepCursors, type ScanCursor } from './scan-cursors.ts'
import { rotateTenants } from './tenant-rotation.ts'

/** A due job with all data for its execution. `token` is a fresh fencing number for this claim. */
export interface DueAction extends LockedAction {
  token: number
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
  waited_ms: number
  /** Milliseconds since the first attempt; null if no attempt can have happened. */
  tried_for_ms: number | null
  request_hash: string | null
}

export interface Shares {
  tenant: number
  system: number
}

export interface TakenJobs {
  tenant_id: string
  system: string
  jobs: number
}

export interface ClaimBounds {
  limit: number
  /** The tenant after which the turns of the tenants begin. */
  after: string
  /** The earliest due time of jobs to claim, in Postgres's format; null claims jobs of any time. */
  since: string | null
  /**
   * The most jobs that the claimer may have, and the jobs that it has. They are read when the statement is sent,
   * because calls may end before.
   */
  shares: Shares
  taken: ReadonlyMap<string, TakenJobs>
  tenant_in_flight_max: number
  actuator_in_flight_max: number
}

export interface ClaimReport {
  after: string
  /**
   * The time before which no job was pending, for the next claim; null if not every tenant was examined. Some
   * claims must ignore it, because a job may commit after it is due. A job that commits behind a scan cursor is
   * found when the cursor expires.
   */
  since: string | null
  more: boolean
  /** The examined tenants, if none of them has a job that can run and more tenants exist; otherwise null. */
  passed: readonly string[] | null
  /** True if due jobs wait because of a limit on calls, so that they may run once a call ends. */
  bounded: boolean
}

/**
 * Locks due jobs until the transaction ends, except those that a freeze stops. Tenants take turns, so that many
 * jobs of one tenant do not delay a single job of another. Claims of the same tenant run one after the other,
 * because the limits apply to all workers together.
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
  line: string[]
  seenTo: string | null
  since: string | null
  atBound: boolean
  scansOn: boolean
  cursors: ScanCursor[]
}

/** Reads the first row, because every row repeats these values and one row exists even if no job was claimed. */
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
  /** True for the job that uses up a limit of its tenant or system. */
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
