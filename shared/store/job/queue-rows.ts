import { limits } from '../../contract/base/limits.ts'
import type {
  QueueCalls,
  QueueSample,
  QueueSnapshot,
  SeenWorker,
} from '../../contract/service-state-schema.ts'
import { frozen } from '../action/locked-actions.ts'
import type { Reader, Writer } from '../postgres/open.ts'
import { isOpen } from '../postgres/planner.ts'
import { isoTime } from '../postgres/sql-text.ts'
import { walkSystems } from './job-sql.ts'

/** Counts rows up to a limit, so that the cost of a snapshot does not grow with the queue. */
const counted = (rows: string): string =>
  `(select count(*)::int4 from (${rows} limit ${limits.queue_count_max}) counted)`

const jobsIn = (condition: string): string => `select from execution_jobs where ${condition}`

const systemsMax = 20_000

const pending = (condition: string): string =>
  counted(`
    select from waiting w cross join lateral (
      select from execution_jobs y
      where state = 'pending' and tenant_id = w.tenant_id and target_system = w.target_system and next_run_at ${condition}
    ) x`)

/** Counts due jobs that a freeze or pause stops. Only tenants with a freeze or pause are examined. */
const stoppedSql = counted(`
    select from (
      select x.action_id, f.whole from (
        select tenant_id, bool_or(coalesce(system, operation, key_id) is null) as whole from freezes group by tenant_id
      ) f cross join lateral (
        select action_id from execution_jobs
        where state = 'pending' and tenant_id = f.tenant_id and next_run_at <= now()
      ) x limit ${limits.queue_count_max}
    ) y where whole or exists (
      select from actions a where a.action_id = y.action_id and ${frozen('a', ['freeze', 'pause'])}
    )`)

const retriesSql = `(
    select coalesce(json_agg(r), '[]') from (
      select target_system, last_error as code, count(*)::int4 as count from (
        select x.target_system, x.last_error from waiting w cross join lateral (
          select target_system, last_error from execution_jobs y
          where state = 'pending' and tenant_id = w.tenant_id and target_system = w.target_system and next_run_at > now()
          order by next_run_at limit 100
        ) x limit ${limits.queue_looked_max}
      ) tried where last_error is not null group by target_system, last_error order by 3 desc, 1, 2 limit 50
    ) r
  )`

/** Selects the earliest time at which an outcome became unknown, among the 100 oldest unknown actions. */
export const oldestUnknownSql = `(
    select min(convert_from(e.event, 'UTF8')::jsonb ->> 'at') from (
      select action_id from execution_jobs where state = 'unknown' and ${isOpen} order by action_id collate "C" limit 100
    ) oldest join action_events e using (action_id) where e.status_to = 'outcome_unknown'
  )`

export type QueueCounts = Pick<
  QueueSnapshot,
  'at' | 'jobs' | 'oldest_due_at' | 'oldest_unknown_at' | 'retries' | 'approvals'
>

type CountsRow = QueueCounts['jobs'] &
  Pick<QueueCounts, 'at' | 'oldest_due_at' | 'oldest_unknown_at' | 'retries'> & {
    held: number
    held_since: string | null
    next_expiry_at: string | null
  }

export async function readQueueCounts(reader: Reader, overdueMs: number): Promise<QueueCounts> {
  const [row] = await reader.query<CountsRow>('read_queue_counts', countsSql, [overdueMs])
  if (!row) throw new Error('the counts of the queue have no row')
  const { at, oldest_due_at, oldest_unknown_at, retries, held, held_since, next_expiry_at, ...jobs } = row
  const approvals = { held, oldest_at: held_since, next_expiry_at }
  return { at, jobs, oldest_due_at, oldest_unknown_at, retries, approvals }
}

const countsSql = `
with recursive ${walkSystems('waiting', systemsMax)},
held as (
  select created_at, held_until from actions where status = 'pending_approval'
  order by held_until limit ${limits.queue_count_max}
)
select ${isoTime('now()')} as at,
  ${pending('<= now()')} as due,
  ${pending("<= now() - $1::int8 * interval '1 millisecond'")} as overdue,
  ${pending('> now()')} as later,
  ${counted(jobsIn("state = 'leased'"))} as leased,
  ${counted(jobsIn("state = 'leased' and lease_expires_at <= now()"))} as lease_expired,
  ${counted(jobsIn("state = 'unknown' and not needs_operator"))} as unknown,
  ${counted(jobsIn('needs_operator'))} as needs_operator,
  ${stoppedSql} as stopped,
  (select ${isoTime('min(next_run_at)')} from waiting where next_run_at <= now()) as oldest_due_at,
  ${oldestUnknownSql} as oldest_unknown_at,
  ${retriesSql} as retries,
  (select count(*)::int4 from held) as held,
  (select ${isoTime('min(created_at)')} from held) as held_since,
  (select ${isoTime('min(held_until)')} from held) as next_expiry_at`

/** Returns workers, the last seen first. A worker is alive if it was seen in the last `aliveMs` milliseconds. */
export async function readWorkers(reader: Reader, aliveMs: number, limit: number): Promise<SeenWorker[]> {
  return reader.query<SeenWorker>('read_workers', workersSql, [aliveMs, limit])
}

const workersSql = `
with leases as (
  select lease_owner, count(*)::int4 as leases from (
    select lease_owner from execution_jobs where state = 'leased' limit ${limits.queue_count_max}
  ) leased group by lease_owner
),
seen as (select * from workers order by seen_at desc limit $2::int4)
select s.worker_id, ${isoTime('s.started_at')} as started_at, ${isoTime('s.seen_at')} as seen_at,
  s.seen_at >= clock_timestamp() - $1::int8 * interval '1 millisecond' as alive, coalesce(l.leases, 0) as leases
from seen s left join leases l on l.lease_owner = s.worker_id
order by s.seen_at desc`

/**
 * Returns how much of their time limit the running calls to each system have used. The limit is `callMsMax`, or
 * the actuator's timeout if that is less. A call begins right after the action's last change.
 */
export async function readCalls(reader: Reader, callMsMax: number): Promise<QueueCalls[]> {
  return reader.query<QueueCalls>('read_calls', callsSql, [callMsMax])
}

const callsSql = `
select target_system, count(*)::int4 as count, percentile_disc(0.5) within group (order by ms / ms_max) as deadline_used,
  max(ms)::int8::float8 as oldest_ms
from (
  select a.target_system, greatest(0, extract(epoch from now() - a.updated_at) * 1000)::float8 as ms,
    least($1::float8, case
      when r.kind in ('http', 'mcp') then coalesce((r.settings ->> 'timeout_ms')::float8, ${limits.actuator_timeout_ms_preset})
    end) as ms_max
  from (
    select action_id from execution_jobs where state = 'leased' and lease_expires_at > now() limit ${limits.queue_looked_max}
  ) j join actions a using (action_id) left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system
) under_way
group by target_system order by 3 desc, 1 limit 50`

export async function readLogHealth(reader: Reader): Promise<QueueSnapshot['audit_log']> {
  const [row] = await reader.query<QueueSnapshot['audit_log']>('read_log_health', logHealthSql, [])
  if (!row) throw new Error('the health of the logs has no row')
  return row
}

const logHealthSql = `
select ${counted('select from log_outbox')} as waiting,
  (select ${isoTime('queued_at')} from log_outbox order by id limit 1) as oldest_waiting_at,
  ${counted('select from tenant_logs where signed_size < size')} as unsigned_logs,
  (select ${isoTime('max(signed_at)')} from log_checkpoints) as last_signed_at,
  (select count(*)::int4 from signing_keys where status = 'active') as signing_keys`

export async function readSamples(reader: Reader, minutes: number): Promise<QueueSample[]> {
  const text = `
    select ${isoTime('at')} as at, due, later, leased, unknown, held, workers
    from queue_samples where at > now() - $1::int4 * interval '1 minute' order by at`
  return reader.query('read_queue_samples', text, [minutes])
}

/** Returns failed actions for which a late result of the last 7 days reports an execution. */
export async function readContradicted(reader: Reader): Promise<QueueSnapshot['contradicted']> {
  const [row] = await reader.query<QueueSnapshot['contradicted']>('read_contradicted', contradictedSql, [])
  if (!row) throw new Error('the contradictions have no row')
  return row
}

const contradictedSql = `
with latest as (
  select tenant_id, action_id, received_at from late_results
  where contradicts and received_at > now() - interval '7 days'
  order by received_at desc limit ${limits.queue_count_max}
)
select (select count(distinct action_id)::int4 from latest) as count,
  coalesce((
    select json_agg(json_build_object('tenant_id', tenant_id, 'action_id', action_id, 'received_at', ${isoTime('received_at')}))
    from (select * from latest order by received_at desc limit 10) newest
  ), '[]') as latest`

export async function wantsSample(writer: Writer): Promise<boolean> {
  const text = `
    select not exists (select from queue_samples where at = date_trunc('minute', clock_timestamp())) as wanted`
  const [row] = await writer.query<{ wanted: boolean }>('wants_sample', text, [])
  return row?.wanted ?? false
}

/** Stores one sample per minute, and deletes samples that are older than a day. */
export async function insertSample(writer: Writer, sample: Omit<QueueSample, 'at'>): Promise<void> {
  const { due, later, leased, unknown, held, workers } = sample
  await writer.query('insert_sample', insertSql, [due, later, leased, unknown, held, workers])
}

const insertSql = `
with forgotten as (delete from queue_samples where at < clock_timestamp() - interval '1 day')
insert into queue_samples (at, due, later, leased, unknown, held, workers)
values (date_trunc('minute', clock_timestamp()), $1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4)
on conflict (at) do nothing`
