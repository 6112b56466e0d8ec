import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'

/** Whose holds are counted, and which operation is told apart. */
export interface HeldBy {
  tenantId: string
  key_id: string
  system: string
  operation: string
  /** ISO 8601. */
  since: string
}

/** Kinds of events that end a hold. */
const endings = ['approval', 'rejection', 'expiry', 'cancellation', 'supersession'] as const
export type Ending = (typeof endings)[number]

/** So many holds of a key ended alike. Without an ending they wait; the risk is null where it was erased. */
export interface HeldCount {
  same: boolean
  risk: RiskLevel | null
  ending: Ending | null
  count: number
}

/** What became of what a key had held lately: the latest `review_counted_max`, by an index of their own. */
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
