import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { Callback } from '../../contract/action/callback.ts'
import type { DeliveredFormat, MessageType } from '../../contract/webhook.ts'
import type { Reader, Writer } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'

const endpointsAtOnce = 200

/**
 * Makes messages from the new log entries of each endpoint. The same statement moves the endpoint's position, so
 * that a crash neither loses nor repeats a message. A held action also gets its reminders, which are due later.
 * Null `tenantIds` stands for all tenants. The endpoints share `entriesMax` entries.
 */
export async function makeDeliveries(
  writer: Writer,
  tenantIds: readonly string[] | null,
  entriesMax: number,
): Promise<Made> {
  const [row] =
    tenantIds === null
      ? await writer.query<Made>('make_deliveries', makeSql('true'), [entriesMax])
      : await writer.query<Made>('make_deliveries_of', makeSql('w.tenant_id = any($2::text[])'), [
          entriesMax,
          arrayLiteral(tenantIds),
        ])
  return row ?? { made: 0, more: false }
}

interface Made {
  made: number
  more: boolean
}

const callbackOf = (row: string): string => `(
  select convert_from(p.payload, 'UTF8')::json -> 'callback' from event_payloads p
  where p.action_id = ${row}.action_id and p.sequence = 0
)`

/**
 * Cuts the action's id out of the stream's name before the join. Under row-level security a join by an expression
 * uses no index, so each entry would read all events of all tenants.
 */
const makeSql = (ofTenants: string): string => `
with taken as (
  select w.webhook_id, w.tenant_id, w.url, w.event_types, w.remind_after_ms, w.position, l.size
  from webhooks w join tenant_logs l using (tenant_id)
  where w.enabled and not w.deleted and w.position < l.size
    and ${ofTenants}
  limit least(${endpointsAtOnce}, $1::int4) for update of w skip locked
),
behind as (
  select *, least(size, position + $1::int4 / (select count(*) from taken)) as until from taken
),
happened as (
  select b.webhook_id, b.tenant_id, b.url, b.event_types, b.remind_after_ms, e.index, a.action_id, a.status_to,
    convert_from(a.event, 'UTF8')::jsonb ->> 'at' as at,
    case when a.kind = 'escalation' then 'action.escalated'
      when a.status_to in ('pending_approval', 'outcome_unknown') then 'action.' || a.status_to
      else 'action.settled' end as type
  from behind b
  cross join lateral ${optimizationFence(`
    select index, sequence, substr(stream, 8) as action_id from log_entries
    where tenant_id = b.tenant_id and index >= b.position and index < b.until and stream <> 'config'
  `)} e
  join action_events a on a.action_id = e.action_id and a.sequence = e.sequence and a.tenant_id = b.tenant_id
  where a.kind = 'escalation' or (
    a.status_to in ('pending_approval', 'outcome_unknown', 'executed', 'denied', 'execution_failed')
    and a.status_to is distinct from a.status_from)
),
made as (
  insert into webhook_deliveries (webhook_id, log_index, reminder, tenant_id, type, action_id, status, occurred_at, next_attempt_at)
  select webhook_id, index, 0, tenant_id, type, action_id, status_to, at, now() from happened where event_types ? type
  union all
  select h.webhook_id, h.index, r.number, h.tenant_id, 'action.reminder', h.action_id, h.status_to, h.at,
    h.at::timestamptz + r.after_ms::int8 * interval '1 millisecond'
  from happened h cross join lateral jsonb_array_elements_text(h.remind_after_ms) with ordinality r(after_ms, number)
  where h.event_types ? 'action.reminder' and h.type = 'action.pending_approval'
  union all
  select h.webhook_id, h.index, 0, h.tenant_id, 'action.callback', h.action_id, h.status_to, h.at, now()
  from happened h cross join lateral (select ${callbackOf('h')} as callback) c
  where h.event_types ? 'action.callback' and h.type = 'action.settled' and starts_with(c.callback ->> 'url', h.url)
  on conflict do nothing
  returning webhook_id
),
moved as (
  update webhooks w set position = b.until from behind b where w.webhook_id = b.webhook_id
)
select (select count(*) from made)::int4 as made,
  coalesce((select bool_or(until < size) or count(*) = least(${endpointsAtOnce}, $1::int4) from behind), false) as more`

export interface DueDelivery {
  webhook_id: string
  log_index: number
  reminder: number
  tenant_id: string
  type: MessageType
  action_id: string
  status: ActionStatus
  occurred_at: string
  /** The number of this attempt, counted from 1. */
  attempts: number
  claim: number
  waited_ms: number
  url: string
  sealed_url: Buffer | null
  format: DeliveredFormat
  tells_values: boolean
  subscriber: string | null
  generation: number
  /** True if the previous secret of the webhook signs as well. */
  overlaps: boolean
  /** The callback of the proposal; null if the message is no callback, or after an erasure. */
  callback: Callback | null
}

export interface DeliveryBounds {
  limit: number
  /** The endpoint after which the turns of the endpoints begin. */
  after: string
  /** The most calls under way to one endpoint, and the present number for each endpoint. */
  each: number
  busy: ReadonlyMap<string, number>
  lease_ms: number
}

export interface ClaimedDeliveries {
  messages: DueDelivery[]
  /** The number of reminders that were deleted, because their action is no longer held. */
  dropped: number
  /** The endpoint after which the next claim begins; empty if this claim reached the last endpoint. */
  after: string
}

/** Leases due messages, so that no other process takes them until the lease ends. Deletes outdated reminders. */
export async function claimDeliveries(
  writer: Writer,
  { limit, after, each, busy, lease_ms }: DeliveryBounds,
): Promise<ClaimedDeliveries> {
  const rows = await writer.query<DueRow>('claim_deliveries', claimSql, [
    after,
    arrayLiteral([...busy.keys()]),
    arrayLiteral([...busy.values()]),
    each,
    limit,
    lease_ms,
  ])
  const messages = rows.flatMap(({ walked_to: _walked, dropped: _dropped, ...row }) =>
    row.webhook_id === null ? [] : [{ ...row, log_index: Number(row.log_index) }],
  )
  const last = messages
    .map(({ webhook_id }) => webhook_id)
    .sort()
    .at(-1)
  const [{ walked_to = null, dropped = 0 } = {}] = rows
  return { messages, dropped, after: (messages.length === limit ? last : walked_to) ?? '' }
}

type DueRow = { walked_to: string | null; dropped: number } & (
  | (Omit<DueDelivery, 'log_index'> & { log_index: string })
  | { webhook_id: null }
)

const walkedMax = 1_000

/**
 * Jumps in the index from one endpoint with pending messages to the next. Many messages of one endpoint cost the
 * others nothing, and endpoints without pending messages are not visited.
 */
const walkEndpoints = (after: string, endpointsMax: number): string => `
pending as (
  (
    select 1 as walked, webhook_id, next_attempt_at from webhook_deliveries
    where state = 'pending' and webhook_id > ${after} order by webhook_id, next_attempt_at limit 1
  )
  union all
  select p.walked + 1, x.webhook_id, x.next_attempt_at
  from pending p cross join lateral (
    select webhook_id, next_attempt_at from webhook_deliveries
    where state = 'pending' and webhook_id > p.webhook_id order by webhook_id, next_attempt_at limit 1
  ) x
  where p.walked < ${endpointsMax}
)`

const claimSql = `
with recursive ${walkEndpoints('$1', walkedMax)},
served as (
  select w.*, greatest(0, $4::int4 - coalesce(b.calls, 0)) as share
  from pending p join webhooks w using (webhook_id)
  left join unnest($2::text[], $3::int4[]) b(webhook_id, calls) using (webhook_id)
  where p.next_attempt_at <= statement_timestamp() and w.enabled and not w.deleted
),
chosen as (
  select s.webhook_id, s.url, s.sealed_url, s.format, s.tells_values, s.subscriber, s.generation, coalesce(s.previous_until > clock_timestamp(), false) as overlaps,
    d.log_index, d.reminder, d.next_attempt_at, d.reminder > 0 and not exists (
      select from actions a where a.action_id = d.action_id and a.tenant_id = s.tenant_id and a.status = 'pending_approval'
    ) as moot
  from served s cross join lateral (
    select log_index, reminder, action_id, next_attempt_at from webhook_deliveries
    where webhook_id = s.webhook_id and state = 'pending' and next_attempt_at <= statement_timestamp()
    order by next_attempt_at limit s.share for update skip locked
  ) d
  order by s.webhook_id limit $5::int4
),
dropped as (
  delete from webhook_deliveries d using chosen c
  where c.moot and d.webhook_id = c.webhook_id and d.log_index = c.log_index and d.reminder = c.reminder
  returning 1
),
taken as (
  update webhook_deliveries d set attempts = d.attempts + 1, claim = d.claim + 1, last_attempt_at = clock_timestamp(),
    next_attempt_at = clock_timestamp() + $6::int8 * interval '1 millisecond'
  from chosen c
  where not c.moot and d.webhook_id = c.webhook_id and d.log_index = c.log_index and d.reminder = c.reminder
  returning d.webhook_id, d.log_index::text, d.reminder, d.tenant_id, d.type, d.action_id, d.status, d.occurred_at, d.attempts, d.claim,
    extract(epoch from clock_timestamp() - c.next_attempt_at)::float8 * 1000 as waited_ms, c.url, c.sealed_url, c.format,
    c.tells_values, c.subscriber, c.generation, c.overlaps
)
select p.walked_to, (select count(*)::int4 from dropped) as dropped, t.*, case when t.type = 'action.callback' then ${callbackOf('t')} end as callback
from (select max(webhook_id) filter (where walked = ${walkedMax}) as walked_to from pending) p left join taken t on true`

/** The result of an attempt. `delivered` and `failed` end the message; `retry` makes it due in `retry_ms`. */
export interface DeliveryRecord {
  outcome: 'delivered' | 'retry' | 'failed'
  retry_ms: number | null
  status: number | null
  error: string | null
}

export interface RecordedAttempt {
  /** Milliseconds for which every attempt at the endpoint has failed. */
  failing_ms: number
  /** True if the endpoint has got another URL, so that the attempt says nothing about the new URL. */
  moved: boolean
}

/**
 * Records an attempt; null if another claim has taken the message. A message that failed for good is due again at
 * once if the endpoint has got another URL.
 */
export async function recordAttempt(
  writer: Writer,
  { webhook_id, log_index, reminder, claim, url }: DueDelivery,
  { outcome, retry_ms, status, error }: DeliveryRecord,
): Promise<RecordedAttempt | null> {
  const [row] = await writer.query<RecordedAttempt>('record_attempt', recordSql, [
    webhook_id,
    log_index,
    claim,
    outcome === 'retry' ? 'pending' : outcome,
    retry_ms ?? 0,
    status,
    error,
    url,
    reminder,
  ])
  return row ?? null
}

/** Does not name the state `pending`: a plan made with few messages would use the index of pending messages. */
const recordSql = `
with recorded as (
  update webhook_deliveries d set
    state = case when $4 = 'failed' and w.url <> $8 then 'pending' else $4 end, last_status = $6::int4, last_error = $7,
    next_attempt_at = clock_timestamp() + $5::int8 * interval '1 millisecond'
  from webhooks w
  where d.webhook_id = $1 and d.log_index = $2::int8 and d.reminder = $9::int4 and d.claim = $3::int4 and d.state not in ('delivered', 'failed')
    and w.webhook_id = d.webhook_id
  returning d.webhook_id
),
told as (
  update webhooks w set failing_since = case when $4 = 'delivered' then null else clock_timestamp() end
  from recorded r where w.webhook_id = r.webhook_id and w.url = $8 and (w.failing_since is null) <> ($4 = 'delivered')
)
select w.url <> $8 as moved, case when $4 = 'delivered' or w.url <> $8 or w.failing_since is null then 0
  else extract(epoch from clock_timestamp() - w.failing_since)::float8 * 1000 end as failing_ms
from recorded r join webhooks w using (webhook_id)`

/** Due messages, at most 1,000 of an endpoint and 20,000 in all, and endpoints that the service disabled. */
export interface DeliveryLag {
  due: number
  oldest_due_ms: number
  disabled: number
}

export async function measureDeliveries(reader: Reader): Promise<DeliveryLag> {
  const [row] = await reader.query<DeliveryLag>('measure_deliveries', measureSql, [])
  return row ?? { due: 0, oldest_due_ms: 0, disabled: 0 }
}

const dueMax = 20_000

const measureSql = `
with recursive ${walkEndpoints("''", dueMax)},
due as (
  select d.next_attempt_at from pending p join webhooks w using (webhook_id) cross join lateral (
    select next_attempt_at from webhook_deliveries
    where webhook_id = w.webhook_id and state = 'pending' and next_attempt_at <= now()
    order by next_attempt_at limit 1000
  ) d
  where p.next_attempt_at <= now() and w.enabled and not w.deleted limit ${dueMax}
)
select (select count(*)::int4 from due) as due,
  coalesce((select greatest(0, extract(epoch from now() - min(next_attempt_at))::float8 * 1000) from due), 0) as oldest_due_ms,
  (select count(*)::int4 from webhooks where disabled_reason is not null and not deleted) as disabled`

/**
 * Deletes up to `limit` old messages, up to `limit` messages of deleted webhooks, and then these webhooks. Returns
 * true if more messages may remain.
 */
export async function forgetDeliveries(writer: Writer, keptMs: number, limit: number): Promise<boolean> {
  const old = await writer.query('forget_old_deliveries', forgetOldSql, [keptMs, limit])
  const gone = await writer.query('forget_deleted_deliveries', forgetDeletedSql, [limit])
  const text = `
    delete from webhooks w
    where w.deleted and not exists (select from webhook_deliveries d where d.webhook_id = w.webhook_id)`
  writer.ahead('forget_deleted_webhooks', text, [])
  return old.length === limit || gone.length === limit
}

const forgetOldSql = `
delete from webhook_deliveries d using (
  select webhook_id, log_index, reminder from webhook_deliveries
  where created_at < statement_timestamp() - $1::int8 * interval '1 millisecond' order by created_at limit $2::int4
) old where d.webhook_id = old.webhook_id and d.log_index = old.log_index and d.reminder = old.reminder
returning 1`

const forgetDeletedSql = `
delete from webhook_deliveries d using (
  select x.webhook_id, x.log_index, x.reminder from webhooks w join webhook_deliveries x using (webhook_id)
  where w.deleted limit $1::int4
) gone where d.webhook_id = gone.webhook_id and d.log_index = gone.log_index and d.reminder = gone.reminder
returning 1`

/** Deletes a message without a recipient, unless another claim has taken the message. */
export async function dropDelivery(
  writer: Writer,
  {
    webhook_id,
    log_index,
    reminder,
    claim,
  }: Pick<DueDelivery, 'webhook_id' | 'log_index' | 'reminder' | 'claim'>,
): Promise<void> {
  const text = `
    delete from webhook_deliveries
    where webhook_id = $1 and log_index = $2::int8 and reminder = $3::int4 and claim = $4::int4`
  await writer.query('drop_delivery', text, [webhook_id, log_index, reminder, claim])
}
