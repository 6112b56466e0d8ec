import type { CountedEvent, HourNumbers, KeptHour } from '../../contract/action/numbers-schema.ts'
import type { Reader, Writer } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'

/** Returns up to `limit` tenants with uncounted log entries, at random, so that none is always left out. */
export async function uncountedTenants(reader: Reader, limit: number): Promise<string[]> {
  const rows = await reader.query<{ tenant_id: string }>('uncounted_tenants', uncountedSql, [limit])
  return rows.map(({ tenant_id }) => tenant_id)
}

const uncountedSql = `
select l.tenant_id from tenant_logs l
left join lateral ${optimizationFence('select counted from number_marks where tenant_id = l.tenant_id')} m on true
where l.size > coalesce(m.counted, 0)
order by random() limit $1::int4`

/** Locks and returns the number of counted entries, so that only one transaction at a time counts a tenant. */
export async function lockMark(writer: Writer, tenantId: string): Promise<number> {
  const make = 'insert into number_marks (tenant_id, counted) values ($1, 0) on conflict do nothing'
  await writer.query('make_number_mark', make, [tenantId])
  const text = 'select counted::text from number_marks where tenant_id = $1 for update'
  const [row] = await writer.query<{ counted: string }>('lock_number_mark', text, [tenantId])
  return Number(row?.counted ?? 0)
}

interface UncountedEntries {
  tenantId: string
  from: number
  limit: number
  kinds: readonly string[]
}

interface LoggedEvents {
  entries: number
  events: CountedEvent[]
}

/** Reads log entries, beginning at index `from`. Equal events are returned once with their number (`times`). */
export async function readUncounted(
  writer: Writer,
  { tenantId, from, limit, kinds }: UncountedEntries,
): Promise<LoggedEvents> {
  const rows = await writer.query<UncountedRow>('read_uncounted', entriesSql, [
    tenantId,
    from,
    limit,
    arrayLiteral(kinds),
  ])
  const events = rows.flatMap(({ kind, at, reasons, ...row }) =>
    kind === null || at === null
      ? []
      : [{ ...row, kind, at, reasons: JSON.parse(reasons ?? '[]') as string[] }],
  )
  return { entries: rows.reduce((sum, { times }) => sum + times, 0), events }
}

/** An entry of a kind that is not counted; it has neither kind nor time. */
type UncountedRow = Omit<CountedEvent, 'kind' | 'at' | 'reasons'> & {
  kind: CountedEvent['kind'] | null
  at: string | null
  reasons: string | null
}

const timeOfEvent = "convert_from(event, 'UTF8')::json ->> 'at'"

/**
 * Looks up each event and text in a subquery, because row-level security would keep a join from using an index.
 * Groups equal events, because most events of an hour are equal. Reads a text only for the agent's id of a verdict
 * and for the reasons of a denial.
 */
const entriesSql = `
select kind, status_from, status_to, at, agent_id, reasons, held_at, count(*)::int4 as times
from (
  select e.index, a.kind, a.status_from, a.status_to, proposed.agent_id, decided.reasons, verdict.at as held_at,
    case when verdict.at is null then left(a.at, 14) || '00:00.000Z' else a.at end as at
  from (
    select index, sequence, case when stream <> 'config' then substr(stream, 8) end as action_id
    from log_entries where tenant_id = $1 and index >= $2::int8 order by index limit $3::int4
  ) e
  left join lateral ${optimizationFence(`
    select kind, status_from, status_to, tenant_id, ${timeOfEvent} as at from action_events
    where action_id = e.action_id and sequence = e.sequence and e.sequence > 0 and kind = any($4::text[])
  `)} a on a.tenant_id = $1
  left join lateral ${optimizationFence(`
    select convert_from(payload, 'UTF8')::json #>> '{actor,agent_id}' as agent_id from event_payloads
    where action_id = e.action_id and sequence = 0 and a.kind = 'verdict'
  `)} proposed on true
  left join lateral ${optimizationFence(`
    select convert_from(payload, 'UTF8')::json ->> 'blocking_reasons' as reasons from event_payloads
    where action_id = e.action_id and sequence = e.sequence and a.kind = 'verdict' and a.status_to = 'denied'
  `)} decided on true
  left join lateral ${optimizationFence(`
    select ${timeOfEvent} as at from action_events
    where action_id = e.action_id and sequence = 1 and a.kind in ('approval', 'rejection', 'supersession')
  `)} verdict on true
) entry
group by kind, status_from, status_to, at, agent_id, reasons, held_at
order by min(index)`

export async function readCountedVerdict(
  writer: Writer,
  { tenantId, actionId, counted }: { tenantId: string; actionId: string; counted: number },
): Promise<CountedEvent | null> {
  const text = `
    select index::text from log_entries
    where tenant_id = $1 and stream = 'action/' || $2 and sequence = 1 and index < $3::int8`
  const [entry] = await writer.query<{ index: string }>('find_verdict_entry', text, [
    tenantId,
    actionId,
    counted,
  ])
  if (!entry) return null
  const { events } = await readUncounted(writer, {
    tenantId,
    from: Number(entry.index),
    limit: 1,
    kinds: ['verdict'],
  })
  return events[0] ?? null
}

export function readHours(
  reader: Reader | Writer,
  tenantId: string,
  hours: readonly string[],
): Promise<KeptHour[]> {
  const text = `
    select ${isoTime('hour')} as hour, numbers from number_hours
    where tenant_id = $1 and hour = any($2::timestamptz[])`
  return reader.query('read_number_hours', text, [tenantId, arrayLiteral(hours)])
}

/** Stores the numbers and the new mark in one transaction, so that a crash counts nothing twice. */
export async function keepHours(
  writer: Writer,
  tenantId: string,
  { hours, counted }: { hours: ReadonlyMap<string, HourNumbers>; counted: number },
): Promise<void> {
  await writer.query('keep_number_hours', keepSql, [
    tenantId,
    arrayLiteral([...hours.keys()]),
    arrayLiteral([...hours.values()].map(numbers => JSON.stringify(numbers))),
  ])
  const mark = 'update number_marks set counted = $2::int8 where tenant_id = $1'
  await writer.query('keep_number_mark', mark, [tenantId, counted])
}

const keepSql = `
insert into number_hours (tenant_id, hour, numbers)
select $1, h.hour, h.numbers from unnest($2::timestamptz[], $3::jsonb[]) h(hour, numbers)
on conflict (tenant_id, hour) do update set numbers = excluded.numbers`

export async function readNumbers(
  reader: Reader,
  tenantId: string,
  since: string,
): Promise<{ hours: KeptHour[]; behind: number }> {
  const [row] = await reader.query<{ hours: KeptHour[]; behind: number }>('read_numbers', numbersSql, [
    tenantId,
    since,
  ])
  return row ?? { hours: [], behind: 0 }
}

const numbersSql = `
select (
    select coalesce(json_agg(json_build_object('hour', ${isoTime('hour')}, 'numbers', numbers) order by hour), '[]')
    from number_hours where tenant_id = $1 and hour >= $2::timestamptz
  ) as hours,
  (coalesce((select size from tenant_logs where tenant_id = $1), 0)
    - coalesce((select counted from number_marks where tenant_id = $1), 0))::float8 as behind`
