import { cpus, loadavg } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sweep } from '../../../shared/flow/execution/sweep.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const count = 10_000

let service: TestService

beforeAll(async () => {
  service = await startService({ platform: true, worker: null })
})

afterAll(() => service.close())

/** How many there are for each processor that want it: on a machine of its own, a test has one. */
function crowd(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / cpus().length)
}

/** As many copies of a held action, whose time is over. */
async function plantHolds(actionId: string): Promise<void> {
  const copy = async (table: string, more = '') => {
    const [stored] = await asSuperuser<{ columns: string }>(
      service.database,
      `select string_agg(column_name, ', ') as columns from information_schema.columns
       where table_schema = 'action_gate' and table_name = '${table}' and is_generated = 'NEVER'`,
    )
    return `
      insert into action_gate.${table} (${stored?.columns})
      select ${stored?.columns
        ?.split(', ')
        .map(column => `copies.${column}`)
        .join(', ')}
      from action_gate.${table} t, generate_series(1, ${count}) n, jsonb_populate_record(null::action_gate.${table},
        to_jsonb(t) || jsonb_build_object('action_id', 'act_' || lpad(n::text, 36, '0') ${more})) copies
      where t.action_id = '${actionId}'`
  }
  await asSuperuser(
    service.database,
    'set session_replication_role = replica',
    await copy('actions', ", 'proposal_id', 'copy-' || n, 'held_until', now()"),
    await copy('action_events'),
    await copy('event_payloads'),
    'analyze',
  )
}

it('10,000 holds that end together are denied by one sweep, in less than 10 s', async () => {
  const tenant = await service.tenant()
  const held = await tenant.submit({ risk: 'high' })
  expect(held.body.decision).toBe('needs_approval')
  await plantHolds(held.body.action_id)
  const begun = performance.now()
  await sweep(service.context)
  const took = performance.now() - begun
  const states = await asReader(
    service.context.store,
    `select status, count(*)::int4 as count from actions group by status order by status`,
  )
  expect(states).toEqual([
    { status: 'denied', count },
    { status: 'pending_approval', count: 1 },
  ])
  expect(took).toBeLessThan(10_000 * crowd())
}, 120_000)
