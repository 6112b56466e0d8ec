import type { Writer } from '../postgres/open.ts'

/**
 * How far the due jobs of a system are known to be kept by freezes of operations or keys. Whether one is kept is looked up
 * in its action, so that a claim goes on where the last one has looked, of whichever worker. Claims of a tenant follow each
 * other, and so do the writers of its places.
 */
export interface ScanCursor {
  tenant_id: string
  target_system: string
  /** Which freezes of operations and keys the tenant has: others keep other jobs. */
  freezes: string
  /** Of the last job that is kept, as Postgres writes it. */
  next_run_at: string
  action_id: string
  /** There may be more jobs behind it. */
  more: boolean
}

/** Jobs of a tenant in whose actions one claim looks, shared by its systems. */
const looksMax = 1_000

/** A place is written down where it spares so many looks, or goes on from one. */
export const worthMin = 50

/** So long after it is due a job may be seen for the first time, since its transaction has to commit. */
export const commitSeconds = 2

/** What was committed later yet stands before a place: so long after the end was reached all is looked at anew. */
const knownSeconds = 60

/** `freezes` of operations and keys that may keep jobs of the system `s`; null where there are none. */
export const freezesInPartSql = `
  select md5(string_agg(f.freeze_id, ',' order by f.freeze_id)) as freezes from freezes f
  where f.tenant_id = s.tenant_id and coalesce(f.operation, f.key_id) is not null and coalesce(f.system = s.target_system, true)`

const isKnown = `looked_at between statement_timestamp() - interval '${knownSeconds} s' and statement_timestamp()`

/** `k`, what is known of the system `s` with the freezes `p`. */
export const knownPlaceSql = `
  scan_cursors k on k.tenant_id = s.tenant_id and k.target_system = s.target_system and k.freezes = p.freezes and k.${isKnown}`

/**
 * Which freezes a system has, and behind which job those are that are looked at. (Columns, since row-level security lets no
 * `coalesce` into the condition of an index.)
 */
export const placeColumns = `
  p.freezes, coalesce(k.next_run_at, '-infinity') as kept_to, coalesce(k.action_id, '') as last_kept`

/**
 * The same for who only measures: behind the place that was reached, however long ago, so that a look that begins anew does
 * not begin it anew. `s` as above; null where there are no freezes.
 */
export const reachedPlaceSql = `
  select coalesce(k.reached_run_at, '-infinity') as kept_to, coalesce(k.reached_action_id, '') as last_kept
  from (${freezesInPartSql}) p
  left join scan_cursors k on k.tenant_id = s.tenant_id and k.target_system = s.target_system and k.freezes = p.freezes
  where p.freezes is not null`

/** Among all that have freezes: in how many jobs of a system it is looked, until as many as are wanted may run. */
export const looksSql = `
  case when freezes is not null then greatest(1, ${looksMax} / count(freezes) over (partition by tenant_id)) end`

/**
 * `places`, of the jobs that were looked at: in their order, up to the first that may run or may have others before it that
 * are not to be seen yet.
 */
export const placesSql = `
places as (
  select tenant_id, target_system, freezes, max(next_run_at) filter (where passed)::text as next_run_at,
    (array_agg(action_id order by looks_so_far desc) filter (where passed))[1] as action_id,
    count(*) = max(looks) as more, count(*) filter (where passed) >= ${worthMin} or max(last_kept) <> '' as worth
  from (
    select *, row_number() over in_order as looks_so_far,
      bool_and(frozen and next_run_at < statement_timestamp() - interval '${commitSeconds} s') over in_order as passed
    from looked where freezes is not null
    window in_order as (partition by tenant_id, target_system order by next_run_at, action_id)
  ) l
  group by tenant_id, target_system, freezes
)`

/** JSON of the places that are worth to be kept; null where there are none. */
export const foundSql = `(
  select json_agg(json_build_object('tenant_id', tenant_id, 'target_system', target_system, 'freezes', freezes,
    'next_run_at', next_run_at, 'action_id', action_id, 'more', more))
  from places where action_id is not null and (more or worth)
)`

/** Claims to come go on from there. */
export async function keepCursors(writer: Writer, places: readonly ScanCursor[]): Promise<void> {
  if (places.length > 0) await writer.query('keep_places', keepSql, [JSON.stringify(places)])
}

/** A look before, of the same freezes, came further than this one, which goes on. */
const reachesFurther = `
  excluded.more and k.freezes = excluded.freezes
  and (k.reached_run_at, k.reached_action_id) > (excluded.next_run_at, excluded.action_id)`

/** While there is more the time goes along, so that a look comes to its end however long it takes. */
const keepSql = `
insert into scan_cursors as k
  (tenant_id, target_system, freezes, next_run_at, action_id, more, looked_at, reached_run_at, reached_action_id)
select tenant_id, target_system, freezes, next_run_at, action_id, more, statement_timestamp(), next_run_at, action_id
from json_to_recordset($1::json)
  as p(tenant_id text, target_system text, freezes text, next_run_at timestamptz, action_id text, more boolean)
order by tenant_id, target_system
on conflict (tenant_id, target_system) do update set
  looked_at = case
    when k.freezes = excluded.freezes and not k.more and k.${isKnown} then k.looked_at else excluded.looked_at
  end,
  reached_run_at = case when ${reachesFurther} then k.reached_run_at else excluded.next_run_at end,
  reached_action_id = case when ${reachesFurther} then k.reached_action_id else excluded.action_id end,
  freezes = excluded.freezes, next_run_at = excluded.next_run_at, action_id = excluded.action_id, more = excluded.more`

/** Forget what nobody asked for within a day. */
export async function forgetCursors(writer: Writer): Promise<void> {
  await writer.query(
    'forget_places',
    "delete from scan_cursors where looked_at < now() - interval '1 day'",
    [],
  )
}
