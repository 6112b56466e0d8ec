import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'

export interface HeldBy {
  tenantId: string
  key_id: string
  system: string
  operation: string
  since: string
}

const endings = ['approval', 'rejection', 'expiry', 'cancellation', 'supersession'] as const
export type Ending = (typeof endings)[number]

/** A number of holds that ended alike. `ending` is null for open holds; `risk` is null after an erasure. */
export interface HeldCount {
  same: boolean
  risk: RiskLevel | null
  ending: Ending | null
  count: number
}

/** Counts the endings of a key's latest `review_counted_max` holds, by an index that has only holds. */
export function countHeldBy(
  reader: Reader,
  { tenantId, key_id, system, operation, since }: HeldBy,
): Promise<HeldCount[]> {
  return reader.query('count_held_by', countSql, [tenantId, key_id, system, operation, since])
}

const countSql = `
with held as (
  select action_id, target_system, operation from actions
  where tenant_id = $1 and key_id = $2 and held_at > $5::timestamptz
  order by held_at desc limit ${limits.review_counted_max}
)
select target_system = $3 and operation = $4 as same, risk, ending, count(*)::int4 as count
from held left join lateral ${optimizationFence(`
  select kind as ending from action_events
  where action_id = held.action_id and kind in (${endings.map(kind => `'${kind}'`).join(', ')}) limit 1
`)} ended on true left join lateral ${optimizationFence(`
  select convert_from(payload, 'UTF8')::json -> 'effective_risk' ->> 'level' as risk from event_payloads
  where action_id = held.action_id and sequence = 1
`)} decided on true
group by same, risk, ending`
