import type { Writer } from '../../postgres/open.ts'

/**
 * How far the due jobs of a system are known to be kept by freezes of operations or keys. Whether one is kept is looked up
 * in its action, so that a claim goes on where the last one has looked, of whichever worker. Claims of a tenant follow each
 * other, and so do the writers of its cursors.
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
export const looksMax = 1_000

/** A cursor is written down where it spares so many looks, or goes on from one. */
export const worthMin = 50

/** What was committed later yet comes before a cursor: so long after the end was reached all is looked at anew. */
const knownSeconds = 60

/** `freezes` of operations and keys that may keep jobs of the system `s`; null where there are none. */
export const freezesInPartSql = `
    select md5(string_agg(f.freeze_id, ',' order by f.freeze_id)) as freezes from freezes f
    where f.tenant_id = s.tenant_id and coalesce(f.operation, f.key_id) is not null and coalesce(f.system = s.target_system, true)
  `

/** Whether a cursor still says what is kept. */
export const isKnown = `looked_at between statement_timestamp() - interval '${knownSeconds} s' and statement_timestamp()`

/**
 * Behind which job of the system `s` it is measured: behind the one that was reached, however long ago, so that a look that
 * begins anew does not begin the measure anew. Null where there are no freezes.
 */
export const reachedCursorSql = `
  select coalesce(k.reached_run_at, '-infinity') as cursor_run_at, coalesce(k.reached_action_id, '') as cursor_action_id
  from (${freezesInPartSql}) p
  left join scan_cursors k on k.tenant_id = s.tenant_id and k.target_system = s.target_system and k.freezes = p.freezes
  where p.freezes is not null`

/** Claims to come go on from there. */
export async function keepCursors(writer: Writer, cursors: readonly ScanCursor[]): Promise<void> {
  if (cursors.length > 0) await writer.query('keep_cursors', keepSql, [JSON.stringify(cursors)])
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
export function forgetCursors(writer: Writer): void {
  writer.ahead('forget_cursors', "delete from scan_cursors where looked_at < now() - interval '1 day'", [])
}
