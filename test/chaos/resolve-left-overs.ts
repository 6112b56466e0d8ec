import { forEachOf } from '../support/platform/platform-waiting.ts'
import { realSystems } from './check/evidence.ts'
import { insist } from './insist.ts'
import type { World } from './world.ts'

const leftOver = `
select a.action_id, a.tenant_id, convert_from(p.payload, 'UTF8')::jsonb ->> 'idempotency_key' as key
from action_gate.actions a
join action_gate.execution_jobs j using (action_id)
join lateral (
  select e.sequence from action_gate.action_events e
  where e.action_id = a.action_id and e.kind = 'execution_attempt' order by e.sequence desc limit 1
) latest on true
join action_gate.event_payloads p on p.action_id = a.action_id and p.sequence = latest.sequence
where a.status = 'outcome_unknown' and j.needs_operator and a.target_system <> all(string_to_array($1, ' '))`

interface LeftOver {
  action_id: string
  tenant_id: string
  key: string
}

/**
 * The operator: finds out at the downstream what became of every other outcome that the service gave up, and records it. What
 * became of calls to servers that nobody here wrote stays open.
 * Returns how many.
 */
export async function resolveLeftOvers(world: World): Promise<number> {
  const rows = await world.postgres.look<LeftOver>(leftOver, [realSystems.join(' ')])
  const taken = rows.filter((_row, place) => place % 2 === 0)
  await forEachOf(taken, 4, row => resolve(world, row))
  return taken.length
}

async function resolve(world: World, { action_id, tenant_id, key }: LeftOver): Promise<void> {
  const asked = await fetch(`${world.downstreamUrl}/lookup?key=${encodeURIComponent(key)}`)
  const { found } = (await asked.json()) as { found: string }
  const { status, body } = await insist(world, {
    method: 'POST',
    path: `/v1/tenants/${tenant_id}/actions/${action_id}/resolve`,
    body: {
      outcome: found === 'executed' ? 'executed' : 'execution_failed',
      note: 'asked at the downstream',
      evidence: `the downstream answers: ${found}`,
    },
  })
  if (status !== 200) throw new Error(`${action_id} cannot be resolved: ${JSON.stringify(body)}`)
}
