import type { Writer } from '../../postgres/open.ts'

/**
 * A due job of a system. Freezes of operations or keys stop this job and all before it, so the next claim of any
 * worker begins after it: each stopped job would cost a look at its action. A tenant's claims run one after the
 * other, and so do the writers of its cursors.
 */
export interface ScanCursor {
  tenant_id: string
  target_system: string
  /** A hash of the tenant's freezes of operations and keys. With other freezes the cursor is not valid. */
  freezes: string
  next_run_at: string
  action_id: string
  more: boolean
}

/** The most actions of a tenant that a single claim examines, divided among its systems. */
export const looksMax = 1_000

/** The fewest looks that a new cursor must save to be stored. */
export const worthMin = 50

/** Seconds for which a finished cursor is used, because a job that commits late may lie before it. */
const knownSeconds = 60

/** Selects a hash of the freezes of operations and keys that may stop jobs of system `s`; null without any. */
export const freezesInPartSql = `
    select md5(string_agg(f.freeze_id, ',' order by f.freeze_id)) as freezes from freezes f
    where f.tenant_id = s.tenant_id and coalesce(f.operation, f.key_id) is not null and coalesce(f.system = s.target_system, true)
  `

export const isKnown = `looked_at between statement_timestamp() - interval '${knownSeconds} s' and statement_timestamp()`

/**
 * Selects the furthest job that a scan of system `s` has reached; no row without freezes. The age of the oldest
 * due job is measured after this job, so that a scan that begins again does not restart the measure.
 */
export const reachedCursorSql = `
  select coalesce(k.reached_run_at, '-infinity') as cursor_run_at, coalesce(k.reached_action_id, '') as cursor_action_id
  from (${freezesInPartSql}) p
  left join scan_cursors k on k.tenant_id = s.tenant_id and k.target_system = s.target_system and k.freezes = p.freezes
  where p.freezes is not null`

export async function keepCursors(writer: Writer, cursors: readonly ScanCursor[]): Promise<void> {
  if (cursors.length > 0) await writer.query('keep_cursors', keepSql, [JSON.stringify(cursors)])
}

/** True if an earlier scan under the same freezes came further than this unfinished scan. */
const reachesFurther = `
  excluded.more and k.freezes = excluded.freezes
  and (k.reached_run_at, k.reached_action_id) > (excluded.next_run_at, excluded.action_id)`

/** Renews the time of a cursor while more jobs follow, so that the cursor does not expire during a long scan. */
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

export function forgetCursors(writer: Writer): void {
  writer.ahead('forget_cursors', "delete from scan_cursors where looked_at < now() - interval '1 day'", [])
}
