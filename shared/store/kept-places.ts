/**
 * How far the jobs of a system are known to be kept by freezes of operations or keys: all that are due before this one, and
 * it. Whether one is kept is looked up in its action, so that a claim goes on where the last ones have looked.
 */
export interface KeptPlace {
  tenant_id: string
  target_system: string
  /** Which freezes of operations and keys the tenant has: others keep other jobs. */
  freezes: string
  /** Of the last job that is kept, as Postgres writes it. */
  next_run_at: string
  action_id: string
}

/** A place that a claim came to. */
export interface FoundPlace extends KeptPlace {
  /** There may be more jobs behind it. */
  more: boolean
}

/** Jobs of a tenant in whose actions one claim looks, shared by its systems. */
const looksMax = 1_000

/** So long after it is due a job may be seen for the first time, since its transaction has to commit. */
export const commitSeconds = 2

/**
 * Of the systems `s` of tenants, with `freezesInPartSql` as `p` and `known` as `k`: how many jobs are looked at, and from
 * where on. (Columns, since row-level security lets no `coalesce` into the condition of an index.)
 */
export const looksSql = `
  p.freezes, case when p.freezes is not null then greatest(1, ${looksMax} / count(*) over (partition by s.tenant_id)) end as looks,
  coalesce(k.next_run_at, '-infinity') as kept_to, coalesce(k.action_id, '') as last_kept`

/** `freezes` of operations and keys, of the tenant of `s`; null where it has none. */
export const freezesInPartSql = `
  select md5(string_agg(f.freeze_id, ',' order by f.freeze_id)) as freezes from freezes f
  where f.tenant_id = s.tenant_id and coalesce(f.operation, f.key_id) is not null`

/** `known`, from the JSON of places. */
export const knownSql = (parameter: string): string => `
known as (
  select * from json_to_recordset(${parameter}::json)
  as k(tenant_id text, target_system text, freezes text, next_run_at timestamptz, action_id text)
)`

/**
 * `places`, of the jobs that were looked at: in their order, up to the first that may run or may have others before it that
 * are not to be seen yet.
 */
export const placesSql = `
places as (
  select tenant_id, target_system, freezes, max(next_run_at) filter (where passed)::text as next_run_at,
    (array_agg(action_id order by nth desc) filter (where passed))[1] as action_id, count(*) = max(looks) as more
  from (
    select *, row_number() over in_order as nth,
      bool_and(frozen and next_run_at < statement_timestamp() - interval '${commitSeconds} s') over in_order as passed
    from looked where freezes is not null
    window in_order as (partition by tenant_id, target_system order by next_run_at, action_id)
  ) l
  group by tenant_id, target_system, freezes
)`

/** JSON of the places beyond those that were known; null where there are none. */
export const foundSql = `(
  select json_agg(json_build_object('tenant_id', tenant_id, 'target_system', target_system, 'freezes', freezes,
    'next_run_at', next_run_at, 'action_id', action_id, 'more', more))
  from places where action_id is not null
)`
