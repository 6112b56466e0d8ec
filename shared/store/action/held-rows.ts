import type { InboxGrouping } from '../../contract/action/inbox-schema.ts'
import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { actionTimes, type ListedAction, payloadText, saidTexts } from './actions.ts'
import { patternsOf } from './ledger-columns.ts'

/** A filter of an inbox. An action must match each field that is not null. */
export interface HeldFilter {
  agent_id: string | null
  system: string | null
  operation: string | null
  risk: RiskLevel | null
  review_route: string | null
  /** Words that must all occur in the summary or the parameters. */
  words: readonly string[]
}

/** A position in an inbox, which is ordered by the end of the hold (ISO 8601) and then by the action's id. */
export type HeldPlace = readonly [held_until: string, action_id: string]

export interface HeldPage {
  tenantIds: readonly string[]
  filter: HeldFilter
  limit: number
  after: HeldPlace | null
}

/** A page of an inbox. `looked` is the position up to which rows were examined; null if all rows were. */
export interface HeldIds {
  places: HeldPlace[]
  looked: HeldPlace | null
}

/**
 * Lists a page of held actions, the soonest to end first, with one more action if more follow. A filter examines
 * at most `inbox_looked_max` rows of each tenant, so that no request reads all rows. The page ends where the first
 * tenant reaches this limit, because it would skip matches of that tenant otherwise.
 */
export async function listHeldIds(
  reader: Reader,
  { tenantIds, filter, limit, after }: HeldPage,
): Promise<HeldIds> {
  const [named, words] = valuesOf(filter)
  const isWhole = words === '{}' && named.every(name => name === null)
  const rows = await reader.query<HeldRow>('list_held', heldSql, [
    arrayLiteral(tenantIds),
    after?.[0] ?? '-infinity',
    after?.[1] ?? '',
    limit + 1,
    isWhole ? limit + 1 : limits.inbox_looked_max,
    ...named,
    words,
  ])
  const placeOf = ({ held_until, action_id }: HeldRow): HeldPlace => [held_until, action_id]
  const looked = rows.find(({ is_end }) => is_end)
  return {
    places: rows.filter(({ is_end }) => !is_end).map(placeOf),
    looked: looked ? placeOf(looked) : null,
  }
}

interface HeldRow {
  held_until: string
  action_id: string
  is_end: boolean
}

function valuesOf({ agent_id, system, operation, risk, review_route, words }: HeldFilter) {
  return [[agent_id, system, operation, risk, review_route], patternsOf(words)] as const
}

const matches = (first: number): string => {
  const isOf = (column: string, place: number) =>
    `($${first + place}::text is null or ${column} = $${first + place})`
  const named = ['agent_id', 'target_system', 'operation', 'risk', 'review_route'].map(isOf)
  return `${named.join(' and ')} and ($${first + 5}::text[] = '{}' or searched like all ($${first + 5}::text[]))`
}

const heldSql = `
with looked as (
  select h.* from unnest($1::text[]) t(tenant_id)
  cross join lateral (
    select held_until, action_id, ${matches(6)} as matched, row_number() over (order by held_until, action_id) as place
    from held_actions
    where tenant_id = t.tenant_id and (held_until, action_id) > ($2::timestamptz, $3::text)
    order by held_until, action_id limit $5::int4
  ) h
),
nearest as (
  select held_until, action_id from looked where place = $5::int4 order by held_until, action_id limit 1
),
page as (
  select held_until, action_id from looked
  where matched and not exists (select from nearest n where (looked.held_until, looked.action_id) > (n.held_until, n.action_id))
  order by held_until, action_id limit $4::int4
)
select ${isoTime('held_until')} as held_until, action_id, is_end from (
  select held_until, action_id, false as is_end from page
  union all select held_until, action_id, true from nearest
) shown
order by is_end, shown.held_until, action_id`

export interface HeldGroup {
  value: string
  count: number
  ends_first: string
}

/**
 * The largest groups, with one more than `inbox_groups_max` if more exist. `complete` is false if a tenant has
 * more held actions than were examined.
 */
export interface HeldGroups {
  groups: HeldGroup[]
  complete: boolean
}

/** Counts held actions by a column. It examines the `inbox_looked_max` actions of each tenant that end soonest. */
export async function groupHeld(
  reader: Reader,
  { tenantIds, filter, by }: { tenantIds: readonly string[]; filter: HeldFilter; by: InboxGrouping },
): Promise<HeldGroups> {
  const [named, words] = valuesOf(filter)
  const rows = await reader.query<GroupRow>(`group_held_${by}`, groupSql(columns[by]), [
    arrayLiteral(tenantIds),
    ...named,
    words,
  ])
  return {
    groups: rows.flatMap(({ cut: _, ...group }) => (group.value === null ? [] : [group])),
    complete: rows.every(({ cut }) => !cut),
  }
}

/** A result without groups still has one row with a null `value`, because that row carries `cut`. */
type GroupRow = (HeldGroup | { value: null }) & { cut: boolean }

const columns = {
  agent_id: 'agent_id',
  operation: 'operation',
  system: 'target_system',
  risk: 'risk',
  review_route: 'review_route',
} as const satisfies Record<InboxGrouping, string>

const groupSql = (column: string): string => `
with looked as (
  select h.* from unnest($1::text[]) t(tenant_id)
  cross join lateral (
    select held_until, ${column} as value, ${matches(2)} as matched,
      row_number() over (order by held_until, action_id) as place
    from held_actions where tenant_id = t.tenant_id
    order by held_until, action_id limit ${limits.inbox_looked_max + 1}
  ) h
)
select value, count, ends_first, cut from (
  select exists (select from looked where place > ${limits.inbox_looked_max}) as cut
) all_looked left join (
  select value, count(*)::int4 as count, ${isoTime('min(held_until)')} as ends_first
  from looked where matched and place <= ${limits.inbox_looked_max}
  group by value order by count(*) desc, value limit ${limits.inbox_groups_max + 1}
) grouped on true
order by count desc, value`

/** A held action. Its texts are missing if they would make the page exceed `list_bytes_max` bytes. */
export interface InboxRow extends Omit<ListedAction, 'followed'> {
  tenant_id: string
  fits: boolean
}

export function readHeld(reader: Reader, actionIds: readonly string[]): Promise<InboxRow[]> {
  return reader.query('read_held', readSql, [arrayLiteral(actionIds)])
}

const readSql = `
with found as (
  select w.place, a.* from unnest($1::text[]) with ordinality w(action_id, place)
  cross join lateral ${optimizationFence(`
    select action_id, tenant_id, status, ${actionTimes} from actions
    where action_id = w.action_id and status = 'pending_approval'
  `)} a
),
measured as (
  select found.*, place = 1 or sum((
    select sum(octet_length(p.payload)) from event_payloads p where p.action_id = found.action_id
  )) over (order by place) <= ${limits.list_bytes_max} as fits
  from found
)
select page.action_id, tenant_id, status, created_at, updated_at, held_until, fits,
  case when fits then ${payloadText(0)} end as proposal, case when fits then ${payloadText(1)} end as verdict,
  case when fits then ${saidTexts} end as said
from measured page
order by place`

/** Counts held actions up to `inbox_counted_max`, so that a long inbox costs no more. */
export async function countHeld(reader: Reader, tenantIds: readonly string[]): Promise<number> {
  const [row] = await reader.query<{ waiting: number }>('count_held', countSql, [arrayLiteral(tenantIds)])
  return row?.waiting ?? 0
}

const countSql = `
select count(*)::int4 as waiting from (
  select from unnest($1::text[]) t(tenant_id) join held_actions using (tenant_id) limit ${limits.inbox_counted_max}
) held`

/** Returns held actions that are due to escalate to another group, the longest overdue first. */
export async function dueEscalations(reader: Reader, limit: number): Promise<{ action_id: string }[]> {
  return reader.query('due_escalations', dueSql, [limit])
}

const dueSql = `
select action_id from held_actions
where escalates_at is not null and escalates_at <= clock_timestamp() and held_until > clock_timestamp()
order by escalates_at limit $1::int4`
