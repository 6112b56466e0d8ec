import { cpus, loadavg } from 'node:os'
import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** Held actions of one application, more than anybody reads. */
const count = 100_000

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  const env = {
    SERVICE_RATE_LIMIT: '10000000',
    SERVICE_HELD_BYTES_MAX: '16000m',
    SERVICE_APPROVE_WAIT_MS: '0',
  }
  service = await startService({ platform: true, worker: null, env })
  tenant = await service.tenant()
  const { action_id } = (await tenant.submit({ risk: 'high', summary: 'Refund order number' })).body
  await plantHeld(action_id)
}, 300_000)

afterAll(() => service.close())

/** How many there are for each processor that want it: on a machine of its own, a test has one. */
function crowd(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / cpus().length)
}

/** Copies of a held action with all that is kept of it: each with an end and a summary of its own. */
async function plantHeld(actionId: string): Promise<void> {
  const copy = async (table: string, more = '', changed: Record<string, string> = {}) => {
    const [stored] = await asSuperuser<{ columns: string }>(
      service.database,
      `select string_agg(column_name, ', ') as columns from information_schema.columns
       where table_schema = 'action_gate' and table_name = '${table}' and is_generated = 'NEVER'`,
    )
    const columns = stored?.columns.split(', ') ?? []
    return `
      insert into action_gate.${table} (${columns.join(', ')})
      select ${columns.map(column => changed[column] ?? `copies.${column}`).join(', ')}
      from action_gate.${table} t, generate_series(1, ${count}) n, jsonb_populate_record(null::action_gate.${table},
        to_jsonb(t) || jsonb_build_object('action_id', 'act_' || lpad(n::text, 36, '0') ${more})) copies
      where t.action_id = '${actionId}'`
  }
  const numbered = (text: string) => `replace(${text}, 'order number', 'order number ' || n)`
  const payload = `convert_to(${numbered("convert_from(copies.payload, 'UTF8')")}, 'UTF8')`
  const end = `, 'held_until', date_trunc('milliseconds', now() + n * interval '1 second')`
  await asSuperuser(
    service.database,
    await copy('action_events'),
    await copy('event_payloads', '', { payload }),
    await copy('actions', `, 'proposal_id', 'copy-' || n ${end}`),
    await copy('held_actions', end, { searched: numbered('copies.searched') }),
    'vacuum analyze',
  )
}

async function inbox(query: Record<string, string>): Promise<number> {
  const begun = performance.now()
  const { status } = await service.call(
    'GET',
    `/v1/inbox?${new URLSearchParams({ limit: '50', ...query })}`,
    {
      key: tenant.approver,
    },
  )
  const took = performance.now() - begun
  expect(status).toBe(200)
  return took
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((one, other) => one - other)[Math.ceil(times.length * share) - 1] ?? 0
}

const shapes: readonly Record<string, string>[] = [
  {},
  { search: 'refund' },
  { search: 'number 77' },
  { search: 'nothing has this' },
  { system: 'crm', risk: 'high', agent_id: 'agent-1' },
  { agent_id: 'nobody' },
]

it('the first page of 100,000 takes less than 300 ms, and a decision beside it 50', async () => {
  const pages: number[] = []
  const decisions: number[] = []
  for (let round = 0; round < 50; round += 1) {
    const { action_id } = (await tenant.submit({ risk: 'high' })).body
    const reading = shapes.map(shape => inbox(shape))
    const begun = performance.now()
    const { status } = await tenant.reject(action_id)
    decisions.push(performance.now() - begun)
    expect(status).toBe(200)
    pages.push(...(await Promise.all(reading)))
  }
  const alone: number[] = []
  for (let round = 0; round < 40; round += 1) for (const shape of shapes) alone.push(await inbox(shape))
  expect(percentile(alone, 0.99)).toBeLessThan(300 * crowd())
  expect(percentile(decisions, 0.5)).toBeLessThan(50 * crowd())
}, 120_000)
