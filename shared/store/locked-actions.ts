import type { ActionState, JobState } from '../lifecycle/change.ts'
import { arrayLiteral } from './array-literal.ts'
import { isoTime } from './iso-time.ts'
import { appendChanges } from './ledger.ts'
import type { Writer } from './open.ts'
import type { SealedChange } from './sealed-change.ts'

/** An action under its row lock: what decisions may look at, and what sealing continues from. */
export interface LockedAction extends ActionState {
  target_system: string
  proposal_hash: string
  /** UTC with milliseconds, from the database's clock, after the lock was taken. */
  at: string
  leaves: Buffer[]
}

/** A due job with what its execution needs; `token` is a fresh fencing number for this claim. */
export interface DueAction extends LockedAction {
  token: number
  /** Canonical text of the recorded proposal, null where it was erased. */
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
  waited_ms: number
}

/** Given the locked rows, the changes to append; rows without a change stay as they are. Synchronous by type. */
export type SealAll<Row> = (rows: readonly Row[]) => readonly SealedChange[]

/** Lock actions by id, decide and append. Unknown ids are simply not among the rows. */
export async function amendActions(
  writer: Writer,
  ids: readonly string[],
  seal: SealAll<LockedAction>,
): Promise<void> {
  const rows = await writer.query<LockedRow>('lock_actions', lockSql, [arrayLiteral(ids)])
  await appendChanges(writer, seal(rows.map(lockedAction)))
}

/** Lock up to `limit` due jobs that are neither frozen nor being claimed by another worker, decide and append. */
export async function claimDue(writer: Writer, limit: number, seal: SealAll<DueAction>): Promise<void> {
  const rows = await writer.query<DueRow>('claim_due', dueSql, [limit])
  await appendChanges(writer, seal(rows.map(dueAction)))
}

interface LockedRow {
  action_id: string
  tenant_id: string
  status: ActionState['status']
  target_system: string
  proposal_hash: string
  leaf_hashes: Buffer
  hold_expired: boolean
  frozen: boolean
  at: string
  state: JobState | null
  attempt: number
  max_attempts: number
  lease_owner: string | null
  lease_token: string
  lease_expired: boolean
  maybe_executed: boolean
  key_honoured: boolean
}

interface DueRow extends LockedRow {
  token: string
  proposal: string | null
  verdict: string | null
  actuator_kind: string | null
  actuator_settings: unknown
  waited_ms: number
}

function lockedAction(row: LockedRow): LockedAction {
  return {
    action_id: row.action_id,
    tenant_id: row.tenant_id,
    status: row.status,
    target_system: row.target_system,
    proposal_hash: row.proposal_hash,
    hold_expired: row.hold_expired,
    frozen: row.frozen,
    at: row.at,
    leaves: split(row.leaf_hashes),
    job: row.state && {
      state: row.state,
      attempt: row.attempt,
      max_attempts: row.max_attempts,
      lease_owner: row.lease_owner,
      lease_token: Number(row.lease_token),
      lease_expired: row.lease_expired,
      maybe_executed: row.maybe_executed,
      key_honoured: row.key_honoured,
    },
  }
}

function dueAction(row: DueRow): DueAction {
  const actuator =
    row.actuator_kind === null ? null : { kind: row.actuator_kind, settings: row.actuator_settings }
  const { proposal, verdict, waited_ms } = row
  return { ...lockedAction(row), token: Number(row.token), proposal, verdict, actuator, waited_ms }
}

function split(leafHashes: Buffer): Buffer[] {
  return Array.from({ length: leafHashes.length / 32 }, (_, at) => leafHashes.subarray(at * 32, at * 32 + 32))
}

const frozen = (action: string): string => `exists (
    select from freezes f where f.tenant_id = ${action}.tenant_id
      and coalesce(f.system = ${action}.target_system, true) and coalesce(f.operation = ${action}.operation, true)
      and coalesce(f.key_id = ${action}.key_id, true)
  )`

const actionColumns = `
  a.action_id, a.tenant_id, a.status, a.target_system, a.proposal_hash, a.leaf_hashes,
  coalesce(a.held_until <= clock_timestamp(), false) as hold_expired, ${frozen('a')} as frozen,
  ${isoTime('clock_timestamp()')} as at,
  j.state, j.attempt, j.max_attempts, j.lease_owner, j.lease_token,
  coalesce(j.lease_expires_at <= clock_timestamp(), false) as lease_expired, j.maybe_executed, j.key_honoured`

/** A job row is always locked before its action row, so that no two transactions can wait for each other. */
const lockSql = `
with j as (select * from execution_jobs where action_id = any($1::text[]) order by action_id for update)
select ${actionColumns}
from actions a left join j using (action_id)
where a.action_id = any($1::text[])
order by a.action_id
for update of a`

const dueSql = `
with j as (
  select x.* from execution_jobs x
  where x.state = 'pending' and x.next_run_at <= clock_timestamp()
    and not (
      exists (select from freezes f where f.tenant_id = x.tenant_id)
      and exists (select from actions y where y.action_id = x.action_id and ${frozen('y')})
    )
  order by next_run_at, action_id
  limit $1::int4
  for update skip locked
)
select ${actionColumns},
  nextval('lease_tokens') as token,
  extract(epoch from clock_timestamp() - j.next_run_at)::float8 * 1000 as waited_ms,
  convert_from(proposal.payload, 'UTF8') as proposal,
  convert_from(verdict.payload, 'UTF8') as verdict,
  r.kind as actuator_kind, r.settings as actuator_settings
from j join actions a using (action_id)
left join event_payloads proposal on proposal.action_id = a.action_id and proposal.sequence = 0
left join event_payloads verdict on verdict.action_id = a.action_id and verdict.sequence = 1
left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system
for update of a`
