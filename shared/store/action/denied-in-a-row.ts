import { limits } from '../../contract/base/limits.ts'
import type { QueueDenials } from '../../contract/service-state-schema.ts'
import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { isoTime } from '../postgres/sql-text.ts'

/** The most denials in a row that are counted, so that a longer row is reported with this number. */
const toldMax = 100

/** Returns keys whose latest actions of an operation were all denied for one reason, most denials first. */
export async function readDenials(reader: Reader): Promise<QueueDenials[]> {
  return reader.query<QueueDenials>('read_denials', denialsSql, [])
}

const payloadOf = (sequence: 0 | 1): string =>
  `select convert_from(payload, 'UTF8')::json as said from event_payloads
   where action_id = r.action_id and sequence = ${sequence}`

/** Reads only the newest actions, by the primary key, so that the cost does not grow with the tenants. */
const denialsSql = `
with latest as (
  select action_id, tenant_id, key_id, target_system, operation, status, created_at
  from actions order by action_id desc limit ${limits.queue_recent_max}
),
placed as (
  select *, row_number() over same as place, count(*) filter (where status <> 'denied') over same as others
  from latest window same as (partition by tenant_id, key_id, target_system, operation order by action_id desc)
),
rows as (
  select * from placed p where others = 0 and place <= ${toldMax} and exists (
    select from placed q where (q.tenant_id, q.key_id, q.target_system, q.operation) = (p.tenant_id, p.key_id, p.target_system, p.operation)
      and q.others = 0 and q.place = ${limits.denials_in_a_row_min}
  )
),
coded as (
  select r.*, split_part(v.said #>> '{blocking_reasons,0}', ':', 1) as code, p.said #>> '{actor,agent_id}' as agent_id
  from rows r
  left join lateral ${optimizationFence(payloadOf(1))} v on true
  left join lateral ${optimizationFence(payloadOf(0))} p on r.place = 1
),
compared as (
  select *, count(*) filter (where code is distinct from first_code) over same as differs
  from (
    select *, first_value(code) over same as first_code from coded
    window same as (partition by tenant_id, key_id, target_system, operation order by place)
  ) c
  window same as (partition by tenant_id, key_id, target_system, operation order by place)
)
select tenant_id, key_id, max(agent_id) as agent_id, target_system, operation, code, count(*)::int4 as count,
  ${isoTime('min(created_at)')} as since, ${isoTime('max(created_at)')} as latest_at,
  (array_agg(action_id order by place))[1] as latest_action_id
from compared where differs = 0 and code <> ''
group by tenant_id, key_id, target_system, operation, code having count(*) >= ${limits.denials_in_a_row_min}
order by count(*) desc, max(created_at) desc limit 50`
