import { type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'

/** Reads events page by page, each page in one snapshot, for a check of the whole database. */

/** Returns the database's identity, its last action id, and its log entries as an estimate of its events. */
export async function readDatabase(
  query: Query,
): Promise<{ identity: string; last_action: string; entries: number }> {
  const [row] = await rowsOf<{ identity: string; last_action: string; entries: string }>(
    query,
    sql`select (select system_identifier from pg_control_system()) || '/' || current_database() as identity,
      coalesce(greatest(${lastOf('actions')}, ${lastOf('action_events')}, ${lastOf('action_statements')}), '') as last_action,
      (select coalesce(sum(size), 0)::text from action_gate.tenant_logs) as entries`,
  )
  return { identity: row?.identity ?? '', last_action: row?.last_action ?? '', entries: Number(row?.entries) }
}

function lastOf(table: string): SQL {
  return sql`(select action_id from ${sql.raw(`action_gate.${table}`)} order by action_id desc limit 1)`
}

export type StoredText = string | Buffer

/** An event with its payload and salt; hashes and salts are lower-case hex. */
export interface WalkedEvent {
  sequence: number
  kind: string
  tenant_id: string
  text: StoredText
  leaf: string
  payload: StoredText | null
  salt: string | null
  logged: boolean
}

export interface WalkedActionEvent extends WalkedEvent {
  action_id: string
  status_from: string | null
  status_to: string
}

export interface WalkedAction {
  action_id: string
  tenant_id: string
  status: string
  event_count: number
  leaf_hashes: string
  audit_root: string
}

export interface WalkedStatement {
  action_id: string
  tenant_id: string
  event_count: number
  note: string
}

export interface WalkedUse {
  use: number
  clause_hash: string
}

export interface ActionPage {
  /** Ids in order, each with a row in at least one table. The other lists have no order. */
  ids: string[]
  actions: WalkedAction[]
  events: WalkedActionEvent[]
  statements: WalkedStatement[]
  unsigned: string[]
  uses: ReadonlyMap<string, WalkedUse>
  waiting: WaitingEvents[]
}

export interface WaitingEvents {
  tenant_id: string
  stream: string
  first_sequence: number
  event_count: number
}

export interface ActionRange {
  after: string
  until: string
}

/** Returns the next action ids of all three tables, because a row that only one table lacks must be noticed. */
export async function readActionPage(
  query: Query,
  { after, until }: ActionRange,
  limit: number,
): Promise<ActionPage> {
  const found = await rowsOf<{ action_id: string }>(query, nextIds({ after, until }, limit))
  const ids = found.map(({ action_id }) => action_id)
  const last = ids.at(-1)
  if (last === undefined)
    return { ids, actions: [], events: [], statements: [], unsigned: [], waiting: [], uses: new Map() }
  const range = sql`action_id > ${after} and action_id <= ${last}`
  const actions = await rowsOf<WalkedAction>(
    query,
    sql`select action_id, tenant_id, status, event_count, encode(leaf_hashes, 'hex') as leaf_hashes,
      encode(audit_root, 'hex') as audit_root
    from action_gate.actions where ${range}`,
  )
  const events = (await rowsOf<EventRow<WalkedActionEvent>>(query, eventsOf(after, last))).map(walked)
  const statements = await rowsOf<WalkedStatement>(
    query,
    sql`select action_id, tenant_id, event_count, note from action_gate.action_statements where ${range}
    order by action_id, event_count`,
  )
  const uses = await rowsOf<WalkedUse & { action_id: string }>(
    query,
    sql`select action_id, use, clause_hash from action_gate.grant_uses
    join action_gate.bounded_grants using (tenant_id, grant_id) where ${range}`,
  )
  const unsigned = await rowsOf<{ action_id: string }>(
    query,
    sql`select distinct action_id from action_gate.unsigned_statements where ${range}`,
  )
  return {
    ids,
    actions,
    events,
    statements,
    uses: new Map(uses.map(({ action_id, ...use }) => [action_id, use])),
    unsigned: unsigned.map(({ action_id }) => action_id),
    waiting: await readWaiting(
      query,
      events.filter(({ logged }) => !logged).map(({ action_id }) => `action/${action_id}`),
    ),
  }
}

function nextIds({ after, until }: ActionRange, limit: number): SQL {
  const of = (table: string): SQL =>
    sql`(select distinct action_id from ${sql.raw(`action_gate.${table}`)} where action_id > ${after} and action_id <= ${until} order by action_id limit ${limit})`
  return sql`select action_id from (${of('actions')} union ${of('action_events')} union ${of('action_statements')}) t
    order by action_id limit ${limit}`
}

function eventsOf(after: string, last: string): SQL {
  return sql`select e.action_id, e.sequence, e.kind, e.status_from, e.status_to, e.tenant_id, ${besideEvent}
    from ${optimizationFence(sql`
      select *, 'action/' || action_id as stream from action_gate.action_events
      where action_id > ${after} and action_id <= ${last}
    `)} e
    left join lateral ${optimizationFence(sql`
      select * from action_gate.event_payloads where action_id = e.action_id and sequence = e.sequence
    `)} p on true
    ${placeOfEvent}`
}

const besideEvent = sql`encode(e.event, 'escape') as text, encode(e.leaf_hash, 'hex') as leaf,
  encode(p.payload, 'escape') as payload, encode(p.salt, 'hex') as salt, l.sequence is not null as logged`

const placeOfEvent = sql`left join lateral ${optimizationFence(sql`
  select * from action_gate.log_entries where tenant_id = e.tenant_id and stream = e.stream and sequence = e.sequence
`)} l on true`

/**
 * Works in one snapshot over all tenants. Sequential scans are off, because the planner expects row-level security
 * to leave one row in a thousand. It would read a whole table to find two thousand rows.
 */
export function inSnapshot<Answer>(store: Store, work: (query: Query) => Promise<Answer>): Promise<Answer> {
  return store.look('all', async query => {
    await query.execute(sql`select set_config('enable_seqscan', 'off', true)`)
    return work(query)
  })
}

export async function readConfigEnd(
  query: Query,
  after: string,
): Promise<{ tenant_id: string; count: number; last_leaf: string | null; more: boolean } | null> {
  const [row] = await rowsOf<{ tenant_id: string; count: number; last_leaf: string | null; more: boolean }>(
    query,
    sql`select t.tenant_id, t.config_event_count as count, encode(t.config_last_leaf, 'hex') as last_leaf,
      exists (select from action_gate.config_events e where e.tenant_id = t.tenant_id
        and (e.sequence >= t.config_event_count or e.sequence < 0)) as more
    from action_gate.tenants t where t.tenant_id > ${after} order by t.tenant_id limit 1`,
  )
  return row ?? null
}

export async function readConfigPage(
  query: Query,
  { tenant_id, from, to }: { tenant_id: string; from: number; to: number },
): Promise<{ events: WalkedEvent[]; waiting: WaitingEvents[] }> {
  const rows = await rowsOf<EventRow<WalkedEvent>>(
    query,
    sql`select e.sequence, e.kind, e.tenant_id, ${besideEvent}
    from ${optimizationFence(sql`
      select *, 'config' as stream from action_gate.config_events
      where tenant_id = ${tenant_id} and sequence >= ${from} and sequence < ${to}
    `)} e
    left join lateral ${optimizationFence(sql`
      select * from action_gate.config_payloads where tenant_id = e.tenant_id and sequence = e.sequence
    `)} p on true
    ${placeOfEvent}
    order by e.sequence`,
  )
  const events = rows.map(walked)
  const waiting = events.every(({ logged }) => logged) ? [] : await readWaiting(query, ['config'], tenant_id)
  return { events, waiting }
}

/** Reads the whole outbox, because it has no index by stream. Runs at most once per page. */
async function readWaiting(
  query: Query,
  streams: readonly string[],
  tenantId: string | null = null,
): Promise<WaitingEvents[]> {
  if (streams.length === 0) return []
  return rowsOf<WaitingEvents>(
    query,
    sql`select tenant_id, stream, first_sequence, event_count from action_gate.log_outbox
    where stream = any(${arrayLiteral([...new Set(streams)])}::text[])
      and (${tenantId}::text is null or tenant_id = ${tenantId}::text)`,
  )
}

type EventRow<Event> = Omit<Event, 'text' | 'payload'> & { text: string; payload: string | null }

function walked<Row extends { text: string; payload: string | null }>(
  row: Row,
): Omit<Row, 'text' | 'payload'> & Pick<WalkedEvent, 'text' | 'payload'> {
  const { text, payload } = row
  return Object.assign(row, { text: unescaped(text), payload: payload === null ? null : unescaped(payload) })
}

/**
 * Decodes PostgreSQL's format `escape`: a backslash is doubled, and a byte above ASCII is a backslash with three
 * octal digits. Unlike hexadecimal, most texts need no decoding.
 */
function unescaped(text: string): StoredText {
  if (!text.includes('\\')) return text
  const bytes = Buffer.from(
    text.replace(/\\(?:\\|([0-7]{3}))/g, (_, octal?: string) =>
      octal === undefined ? '\\' : String.fromCharCode(Number.parseInt(octal, 8)),
    ),
    'latin1',
  )
  const decoded = bytes.toString('utf8')
  return Buffer.from(decoded).equals(bytes) ? decoded : bytes
}

/** Returns the reason if PostgreSQL cannot read a value that no service wrote. Rethrows every other error. */
export function whyUnreadable(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error && 'code' in cause && dataException.test(String(cause.code)))
    return cause.message
  throw error
}

/** The class of SQLSTATEs for a value that PostgreSQL cannot read as its type. */
const dataException = /^22...$/

export async function rowsOf<Row>(query: Query, statement: SQL): Promise<Row[]> {
  return (await query.execute(statement)).rows as Row[]
}
