import { type SQL, sql } from 'drizzle-orm'
import type { Store } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { inSnapshot, rowsOf, whyUnreadable } from './audit-walk.ts'

export interface OtherInForce {
  /** A name such as `key agk_…` or `policy revision 3`. */
  thing: string
  /** True if the events say that the thing is in force. `stored` is true if a table has the thing. */
  told: boolean
  stored: boolean
  /** The fields that differ between events and table; null if only one of them has the thing. */
  members: { name: string; stored: unknown; told?: unknown }[] | null
}

export interface ComparedInForce {
  compared: number
  differing: number
  listed: OtherInForce[]
  /** The number of keys in the events if this database has no key at all; otherwise 0. */
  keys_elsewhere: number
}

/**
 * Compares everything in force with the events, in one statement and so in one snapshot. Returns a reason as text
 * if an event cannot be read, because no service wrote such an event.
 */
export async function compareInForce(
  store: Store,
  tenantId: string,
  listedMax: number,
): Promise<ComparedInForce | string> {
  try {
    const [row] = await inSnapshot(store, query =>
      rowsOf<ComparedInForce>(query, comparison(tenantId, listedMax)),
    )
    if (row === undefined) throw new Error('the comparison answers nothing')
    return row
  } catch (error) {
    return whyUnreadable(error)
  }
}

/**
 * `told` has the things in force by the events, `stored` those in the tables, each with its fields. A key's holder
 * is compared only if the event has one, because older events have none.
 */
function comparison(tenantId: string, listedMax: number): SQL {
  return sql`with said as materialized (${saidIn(tenantId)}),
    told(thing, told) as (${sql.join(
      [
        toldKeys,
        ...toldRevisions,
        toldFreezes,
        toldActuators,
        toldWebhooks,
        toldSecrets,
        toldReview,
        toldAbsences,
        toldGrants,
        toldReports,
        toldOfTenant,
      ],
      sql` union all `,
    )}),
    stored(thing, stored) as (${storedOf(tenantId)}),
    compared as materialized (
      select thing, told is not null as told, stored is not null as stored, (
        select jsonb_agg(jsonb_build_object('name', s.key, 'stored', s.value, 'told', told -> s.key))
        from jsonb_each(stored) s where told is not null and coalesce(told -> s.key, 'null') <> s.value
          and (s.key <> 'holder' or told ? 'holder')
      ) as members
      from told full join stored using (thing)
    )
    select count(*)::int4 as compared, count(*) filter (where ${isOther})::int4 as differing,
      (select coalesce(jsonb_agg(other), '[]') from (
        select * from compared where ${isOther} order by thing limit ${listedMax}::int4
      ) other) as listed,
      case when ${keysAreHere} then 0
        else (select count(*) from said where kind = 'key_issued')::int4 end as keys_elsewhere
    from compared`
}

const isOther = sql`(not told or not stored or members is not null)`

function saidIn(tenantId: string): SQL {
  return sql`select e.sequence, e.kind, convert_from(p.payload, 'UTF8')::jsonb as told,
      case when e.kind in ('policy_revision', 'catalog_revision', 'freeze', 'grant_made')
        then convert_from(e.event, 'UTF8')::jsonb #> '{principal,id}' end as author
    from ${optimizationFence(sql`
      select * from action_gate.config_events where tenant_id = ${tenantId} and not starts_with(kind, 'signing_key_')
    `)} e
    left join lateral ${optimizationFence(sql`
      select * from action_gate.config_payloads where tenant_id = e.tenant_id and sequence = e.sequence
    `)} p on true`
}

/** True if this database has any API key, even an admin's. Keys may also be in a database of their own. */
const keysAreHere = sql`exists (select from action_gate.api_keys)`

const toldKeys = sql`
  select 'key ' || key_id, issued || jsonb_build_object('revoked', revoked, 'expires_at',
    regexp_replace(issued ->> 'expires_at', '([.][0-9]{3})[0-9]+', '\\1')::timestamptz)
  from (
    select told ->> 'key_id' as key_id, bool_or(kind = 'key_revoked') as revoked,
      (array_agg(told order by sequence desc) filter (where kind = 'key_issued'))[1] as issued
    from said where kind in ('key_issued', 'key_revoked') and ${keysAreHere} group by 1
  ) k where issued is not null`

const toldRevisions = ['policy', 'catalog'].map(
  document => sql`
  select ${`${document} revision `}::text || (told ->> 'revision'),
    told || jsonb_build_object('document_hash', told -> ${`${document}_hash`}::text, 'author', author)
  from said where kind = ${`${document}_revision`}::text`,
)

const toldFreezes = sql`
  select thing, told || jsonb_build_object('author', author) from (
    select distinct on (thing) thing, kind, told, author from (
      select coalesce(told ->> 'effect', 'freeze') || ' ' || ${selectorOf(sql`told ->> 'system'`, sql`told ->> 'operation'`, sql`told ->> 'key_id'`)} as thing, *
      from said where kind in ('freeze', 'unfreeze')
    ) f order by thing, sequence desc
  ) last where kind = 'freeze'`

const toldActuators = sql`
  select 'actuator ' || (actuator ->> 'name'), actuator
  from (select told from said where kind = 'actuators_revision' order by sequence desc limit 1) last,
    jsonb_array_elements(told -> 'actuators') actuator`

const toldWebhooks = sql`
  select 'webhook ' || webhook_id, jsonb_build_object('format', 'signed', 'remind_after_ms', '[]'::jsonb, 'tells_values', true) || settings || jsonb_build_object('generation', coalesce(generation, '1'))
    || case last ->> 'change' when 'disabled'
      then jsonb_build_object('enabled', false, 'disabled_reason', last -> 'reason') else '{}' end
  from (
    select told ->> 'webhook_id' as webhook_id, bool_or(told ->> 'change' = 'deleted') as deleted,
      (array_agg(told order by sequence desc) filter (where told ->> 'change' in ('created', 'replaced')))[1] as settings,
      (array_agg(told order by sequence desc) filter (where told ->> 'change' <> 'rotated'))[1] as last,
      (array_agg(told -> 'generation' order by sequence desc) filter (where told ->> 'change' = 'rotated'))[1] as generation
    from said where kind = 'webhook_revision' group by 1
  ) w where not deleted`

const toldSecrets = sql`
  select 'secret ' || name, told || jsonb_build_object('used', exists (
    select from said u where u.kind = 'secret_used' and u.told ->> 'name' = name and u.told -> 'version' = last.told -> 'version'
  ))
  from (
    select distinct on (told ->> 'name') told ->> 'name' as name, told
    from said where kind = 'secret_revision' order by told ->> 'name', sequence desc
  ) last where told ->> 'change' <> 'deleted'`

const toldReview = sql`
  select thing, told from (
    select distinct on (thing) thing, told from (
      select replace(kind, '_', ' ') || ' ' || (told ->> 'name') as thing, told, sequence
      from said where kind in ('review_group', 'review_route')
    ) r order by thing, sequence desc
  ) last where told ->> 'change' <> 'deleted'`

const toldAbsences = sql`
  select 'absence of ' || absent, told || jsonb_build_object('until', (told ->> 'until')::timestamptz)
  from (
    select distinct on (told ->> 'absent') told ->> 'absent' as absent, told
    from said where kind = 'review_absence' order by told ->> 'absent', sequence desc
  ) last where told ->> 'until' is not null`

const toldGrants = sql`
  select 'grant ' || (made #>> '{clause,grant_id}'), made || jsonb_build_object('author', author, 'revoked', exists (
    select from said r where r.kind = 'grant_revoked' and r.told ->> 'grant_id' = made #>> '{clause,grant_id}'
  ))
  from (select told as made, author from said where kind = 'grant_made') g`

const toldReports = sql`
  select 'verification report ' || (told ->> 'report_id'), told || jsonb_build_object('document_hash', told -> 'report_hash')
  from said where kind = 'verification_report'`

const toldOfTenant = sql`
  select case kind when 'policy_revision' then 'policy in force' when 'catalog_revision' then 'catalog in force'
    else 'verification gate' end, told
  from (
    select distinct on (kind) kind, told from said
    where kind in ('policy_revision', 'catalog_revision', 'verification_gate') order by kind, sequence desc
  ) last`

function storedOf(tenantId: string): SQL {
  const author = sql`'author', coalesce(author ->> 'key_id', author ->> 'account_id', author ->> 'operator_id', author ->> 'source')`
  const ofTenant = (table: string): SQL =>
    sql`${sql.raw(`action_gate.${table}`)} where tenant_id = ${tenantId}`
  const revisions = (document: string, more: SQL): SQL => sql`
    select ${`${document} revision `}::text || revision, jsonb_build_object(${author}, 'change_note', change_note,
      ${`${document}_hash`}::text, ${sql.raw(`${document}_hash`)}, 'document_hash', ${hashOf(document, document)} ${more})
    from ${ofTenant(`${document}_revisions`)}`
  return sql`
    select 'key ' || key_id, jsonb_build_object('name', name, 'scope', scope, 'holder', holder,
      'expires_at', expires_at, 'revoked', revoked_at is not null) from ${ofTenant('api_keys')}
    union all ${revisions('policy', sql`, 'catalog_hash', catalog_hash`)}
    union all ${revisions('catalog', sql``)}
    union all select effect || ' ' || ${selectorOf(sql`system`, sql`operation`, sql`key_id`)},
      jsonb_build_object('reason', reason, ${author}) from ${ofTenant('freezes')}
    union all select 'actuator ' || name, jsonb_build_object('kind', kind, 'settings', settings) from ${ofTenant('actuators')}
    union all select 'webhook ' || webhook_id, jsonb_build_object('url', url, 'format', format, 'event_types', event_types,
      'remind_after_ms', remind_after_ms, 'tells_values', tells_values,
      'description', description, 'enabled', enabled, 'disabled_reason', disabled_reason, 'generation', generation)
      from ${ofTenant('webhooks')} and not deleted and format <> 'push'
    union all select 'secret ' || name, jsonb_build_object('version', version, 'actuator', actuator, 'bound_to', bound_to,
      'used', first_used_at is not null) from ${ofTenant('tenant_secrets')} and sealed is not null
    union all select 'review group ' || name, jsonb_build_object('members', members) from ${ofTenant('review_groups')}
    union all select 'review route ' || name, jsonb_build_object('route', route) from ${ofTenant('review_routes')}
    union all select 'absence of ' || absent, jsonb_build_object('delegate', delegate, 'until', absent_until)
      from ${ofTenant('review_absences')}
    union all select 'grant ' || grant_id, jsonb_build_object(${author}, 'note', note, 'clause_hash', clause_hash,
      'clause', convert_from(clause, 'UTF8')::jsonb, 'revoked', revoked_at is not null) from ${ofTenant('bounded_grants')}
    union all select 'verification report ' || report_id, jsonb_build_object('report_hash', report_hash,
      'document_hash', ${hashOf('report', 'body')}, 'policy_hash', policy_hash, 'catalog_hash', catalog_hash, 'result', result)
      from ${ofTenant('verification_reports')}
    union all select 'policy in force', jsonb_build_object('revision', policy_revision) from ${ofTenant('tenants')}
    union all select 'catalog in force', jsonb_build_object('revision', catalog_revision)
      from ${ofTenant('tenants')} and catalog_revision is not null
    union all select 'verification gate', jsonb_build_object('required', verification_gate)
      from ${ofTenant('tenants')} and exists (select from said where kind = 'verification_gate')`
}

/** Names a freeze by what it matches; an empty object matches the whole tenant. */
function selectorOf(system: SQL, operation: SQL, keyId: SQL): SQL {
  return sql`jsonb_strip_nulls(jsonb_build_object('system', ${system}, 'operation', ${operation}, 'key_id', ${keyId}))::text`
}

/** Returns SQL for the hash of a document (`canon/digest.ts`) over the bytes of a column. */
function hashOf(kind: string, column: string): SQL {
  return sql`'sha256:' || encode(sha256(convert_to(${`ags-${kind}/v1\n`}, 'UTF8') || ${sql.raw(column)}), 'hex')`
}
