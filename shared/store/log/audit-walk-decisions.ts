import { type SQL, sql } from 'drizzle-orm'
import type { Principal } from '../../contract/action/audit.ts'
import type { Query } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { rowsOf } from './audit-walk.ts'
import type { LogRange } from './audit-walk-log.ts'

/**
 * Reads people's decisions in log order, so that a check of the whole database can compare them with the
 * configuration.
 */

/**
 * A decision of a person, or a verdict that names the proposal's holder, together with the configuration before
 * it. A field is null if no event of the configuration states it.
 */
export interface WalkedDecision {
  action_id: string
  place: number
  kind: string
  principal: Principal
  at: string
  holder: string | null
  group: string | null
  on_behalf_of: string | null
  issued: { scope: string | null; holder: string | null; expires_at: string | null } | null
  revoked: boolean
  in_group: boolean | null
  delegated: boolean | null
}

export interface DecisionPage {
  /** False if this database has no API key at all. API keys may be in a database of their own (`--api-key-db`). */
  keys_are_here: boolean
  decisions: WalkedDecision[]
}

/**
 * Returns the decisions in a range of log entries. Each has what the configuration said before it about its key,
 * group and absence. An event that is not yet in the log is left to the next check.
 */
export async function readDecisions(query: Query, range: LogRange): Promise<DecisionPage> {
  const [keys] = await rowsOf<{ here: boolean }>(
    query,
    sql`select exists (select from action_gate.api_keys) as here`,
  )
  const decisions = await rowsOf<WalkedDecision>(query, decisionsOf(range))
  return { keys_are_here: keys?.here === true, decisions }
}

/**
 * `asked` has the questions of each decision, `told` the configuration events that answer them. A supersession
 * without a group comes from an older version, so it asks about every group of its route and all absences.
 */
function decisionsOf(range: LogRange): SQL {
  return sql`with told as materialized (${toldBefore(range)}),
    decided as materialized (${decidedIn(range)}),
    asked(index, kind, about) as (
      select index, k.kind, key_id from decided cross join (values ('key_issued'), ('key_revoked')) k(kind)
        where key_id is not null
      union all select index, 'review_group', said_group from decided where said_group is not null
      union all select index, 'review_group', name from decided cross join unnest(route_groups) name where said_group is null
      union all select index, 'review_absence', on_behalf_of from decided where on_behalf_of is not null
      union all select index, 'review_absence', about
        from decided cross join (select distinct about from told where kind = 'review_absence') a
        where said_group is null and route_groups <> '{}'
    ),
    last as (
      select a.index, max(t.index) as told_at from asked a join told t using (kind, about)
      where t.index < a.index group by a.index, kind, about
    ),
    answers as (
      select l.index, bool_or(t.kind = 'key_revoked') as revoked,
        (array_agg(t.told) filter (where t.kind = 'key_issued'))[1] as issued,
        coalesce(jsonb_agg(t.told) filter (where t.kind = 'review_group' and t.told ->> 'change' <> 'deleted'), '[]') as groups,
        coalesce(jsonb_agg(t.told) filter (where t.kind = 'review_absence'), '[]') as absences
      from last l join told t on t.index = l.told_at group by l.index
    ),
    answered as materialized (
      select d.*, a.revoked, a.issued, coalesce(a.groups, '[]') as groups, coalesce(a.absences, '[]') as absences,
        coalesce(d.holder, a.issued ->> 'holder', d.account) as whose
      from decided d left join answers a using (index)
    )
    select action_id, sequence as place, kind, principal, at, holder, said_group as "group", on_behalf_of,
      case when issued is not null then jsonb_build_object('scope', issued -> 'scope', 'holder', issued -> 'holder',
        'expires_at', issued -> 'expires_at') end as issued,
      coalesce(revoked, false) as revoked, ${inGroup} as in_group, ${delegated} as delegated
    from answered d order by index`
}

/** Selects configuration events in log order; `about` is the key, the group or the absent person. */
function toldBefore({ tenant_id, to }: LogRange): SQL {
  return sql`select l.index, e.kind, p.told, case e.kind when 'review_group' then p.told ->> 'name'
      when 'review_absence' then p.told ->> 'absent' else p.told ->> 'key_id' end as about
    from ${optimizationFence(sql`
      select * from action_gate.config_events
      where tenant_id = ${tenant_id} and kind in ('key_issued', 'key_revoked', 'review_group', 'review_absence')
    `)} e
    cross join lateral ${optimizationFence(sql`
      select convert_from(payload, 'UTF8')::jsonb as told from action_gate.config_payloads
      where tenant_id = e.tenant_id and sequence = e.sequence
    `)} p
    cross join lateral ${optimizationFence(sql`
      select index from action_gate.log_entries
      where tenant_id = e.tenant_id and stream = 'config' and sequence = e.sequence
    `)} l
    where l.index < ${to}`
}

function decidedIn({ tenant_id, from, to }: LogRange): SQL {
  const ofVerdict = (held: SQL, decided: SQL): SQL =>
    sql`case when e.kind = 'verdict' then ${held} else ${decided} end`
  return sql`select l.index, e.action_id, e.sequence, e.kind, e.event ->> 'at' as at,
      ${ofVerdict(
        sql`jsonb_build_object('id', p.said #>> '{principal,key_id}', 'kind', p.said #>> '{principal,scope}')`,
        sql`e.event -> 'principal'`,
      )} as principal,
      ${ofVerdict(sql`p.said #>> '{principal,key_id}'`, sql`case when e.by <> 'owner' then e.event #>> '{principal,id}' end`)} as key_id,
      case when e.by = 'owner' then 'account:' || (e.event #>> '{principal,id}') end as account,
      ${ofVerdict(sql`nullif(p.said ->> 'proposer_holder', 'unrecorded')`, sql`p.said ->> 'holder'`)} as holder,
      coalesce(p.said ->> 'stands_in', p.said ->> 'group') as said_group, p.said ->> 'on_behalf_of' as on_behalf_of,
      coalesce(v.route_groups, '{}') as route_groups
    from ${optimizationFence(sql`
      select index, substr(stream, length('action/') + 1) as action_id, sequence from action_gate.log_entries
      where tenant_id = ${tenant_id} and index >= ${from} and index < ${to} and starts_with(stream, 'action/')
    `)} l
    cross join lateral ${optimizationFence(sql`
      select action_id, sequence, kind, event, event #>> '{principal,kind}' as by from (
        select action_id, sequence, kind, convert_from(event, 'UTF8')::jsonb as event from action_gate.action_events
        where action_id = l.action_id and sequence = l.sequence and tenant_id = ${tenant_id} and kind in ('verdict',
          'partial_approval', 'approval', 'rejection', 'cancellation', 'comment', 'change_request', 'supersession')
      ) read
    `)} e
    left join lateral ${optimizationFence(sql`
      select convert_from(payload, 'UTF8')::jsonb as said from action_gate.event_payloads
      where action_id = e.action_id and sequence = e.sequence
        and (e.kind <> 'verdict' or position('"proposer_holder":'::bytea in payload) > 0)
    `)} p on true
    left join lateral ${optimizationFence(sql`
      select array(
        select d ->> 'group' from jsonb_array_elements(route -> 'required') d union select route #>> '{escalate,group}'
      ) as route_groups
      from (
        select convert_from(payload, 'UTF8')::jsonb -> 'route' as route from action_gate.event_payloads
        where action_id = e.action_id and sequence = 1 and e.kind = 'supersession'
      ) held where route is not null
    `)} v on p.said is not null
    where e.kind <> 'verdict' or p.said is not null`
}

const lasts = sql`a ->> 'delegate' = d.whose and (a ->> 'until')::timestamptz > d.at::timestamptz`

/**
 * Selects the person for whom a decision counts: the absent person, or else the decider. A decision that names no
 * group counts for the decider and for everyone whose delegate the decider is.
 */
const countsFor = sql`case
  when d.said_group is not null then m ->> 'holder' = coalesce(d.on_behalf_of, d.whose)
  else m ->> 'holder' = d.whose or exists (
    select from jsonb_array_elements(d.absences) a where a ->> 'absent' = m ->> 'holder' and ${lasts}
  ) end`

const inGroup = sql`case when d.whose is not null and (d.said_group is not null or d.route_groups <> '{}') then exists (
  select from jsonb_array_elements(d.groups) g, jsonb_array_elements(g -> 'members') m where ${countsFor}
) end`

const delegated = sql`case when d.on_behalf_of is not null then exists (
  select from jsonb_array_elements(d.absences) a where a ->> 'absent' = d.on_behalf_of and ${lasts}
) end`
