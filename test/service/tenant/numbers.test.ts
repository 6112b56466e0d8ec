import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Numbers,
  type NumberWindow,
  numberWindows,
} from '../../../shared/contract/action/numbers-schema.ts'
import { countNumbers } from '../../../shared/flow/execution/count-numbers.ts'
import { sequenceLog } from '../../../shared/flow/log/sequence-log.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { signUp } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService

/** Some of everything: allowed, held and approved, held and rejected, held, denied. */
beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
})
afterAll(() => service.close())

async function busyTenant(): Promise<TestTenant> {
  const tenant = await service.tenant()
  for (let count = 0; count < 3; count += 1) await tenant.settled((await tenant.submit()).body.action_id)
  const held = []
  for (let count = 0; count < 4; count += 1) held.push((await tenant.submit({ risk: 'high' })).body.action_id)
  const [approved = '', rejected = '', withdrawn = ''] = held
  await tenant.approve(approved)
  await tenant.settled(approved)
  await tenant.reject(rejected)
  const json = { note: 'not needed any more' }
  await service.call('POST', `/v1/actions/${withdrawn}/cancel`, { key: tenant.agent, json })
  for (const system of ['nowhere', 'elsewhere']) await tenant.submit({ system })
  return tenant
}

async function numbersOf({ id }: { id: string }, window: NumberWindow = '24h'): Promise<Numbers> {
  const path = `/v1/tenants/${id}/numbers?window=${window}`
  const { status, body } = await service.call<Numbers>('GET', path, { admin: service.admin })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

/** Once the log has every event and a sweep has counted them. */
async function countedNumbers(tenant: TestTenant): Promise<Numbers> {
  const waiting = `select 1 from action_gate.log_outbox where tenant_id = '${tenant.id}'`
  const settled = async () => ({
    waiting: (await asSuperuser(service.database, waiting)).length,
    behind: (await numbersOf(tenant)).behind,
  })
  await expect.poll(settled, { timeout: 20_000 }).toEqual({ waiting: 0, behind: 0 })
  return numbersOf(tenant)
}

/** The same, counted from the recorded events and by nothing that the service has. */
async function recounted({ id }: TestTenant): Promise<Record<string, number>> {
  const rows = await asSuperuser<{ name: string; count: number }>(
    service.database,
    `select case
        when kind = 'verdict' then case status_to when 'denied' then 'denied' when 'pending_approval' then 'held' else 'allowed' end
        when kind = 'approval' then 'approved' when kind = 'rejection' then 'rejected'
        when kind = 'cancellation' then 'withdrawn' when status_to = 'executed' then 'executed'
      end as name, count(*)::int4 as count
     from action_gate.action_events where tenant_id = '${id}' and kind <> 'proposal_received' and kind <> 'execution_attempt'
     group by 1`,
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

const plainCounts = { held: 4, denied: 2, allowed: 3, approved: 1, rejected: 1, withdrawn: 1, executed: 4 }
const rowsOf = (tenant: TestTenant) =>
  `select hour, numbers from action_gate.number_hours where tenant_id = '${tenant.id}' order by hour`
/** The mark first, in one transaction: a sweep that counts meanwhile is waited for. */
const forget = ({ id }: TestTenant) => `begin;
  delete from action_gate.number_marks where tenant_id = '${id}';
  delete from action_gate.number_hours where tenant_id = '${id}';
  commit`

describe('the numbers of an application', () => {
  it('are those of its recorded events, in every window', async () => {
    const tenant = await busyTenant()
    await countedNumbers(tenant)
    const fromEvents = await recounted(tenant)
    expect(fromEvents).toEqual(plainCounts)
    for (const window of numberWindows) {
      const numbers = await numbersOf(tenant, window)
      expect(numbers).toMatchObject({ ...fromEvents, decisions: 9, failed: 0, expired: 0 })
      expect(numbers.series).toHaveLength({ '24h': 24, '7d': 7, '30d': 30 }[window])
      for (const name of ['allowed', 'held', 'denied', 'executed'] as const)
        expect(numbers.series.reduce((sum, step) => sum + step[name], 0)).toBe(numbers[name])
      expect(numbers.agents).toEqual([{ agent_id: 'agent-1', allowed: 3, held: 4, denied: 2 }])
      expect(numbers.reasons).toEqual(
        ['actuator_not_registered', 'system_not_allowed'].map(code => ({ code, count: 2 })),
      )
      expect(numbers.time_to_decision).toMatchObject({ decided: 2 })
    }
  })

  it('time decisions of people, at most a twentieth too long', async () => {
    const tenant = await busyTenant()
    const { time_to_decision } = await countedNumbers(tenant)
    const [longest] = await asSuperuser<{ ms: number }>(
      service.database,
      `select max(extract(epoch from (convert_from(d.event, 'UTF8')::json ->> 'at')::timestamptz
         - (convert_from(v.event, 'UTF8')::json ->> 'at')::timestamptz) * 1000)::float8 as ms
       from action_gate.action_events d join action_gate.action_events v using (action_id)
       where d.tenant_id = '${tenant.id}' and d.kind in ('approval', 'rejection') and v.kind = 'verdict'`,
    )
    const ms = longest?.ms ?? Number.NaN
    expect(time_to_decision?.p95_ms).toBeGreaterThanOrEqual(Math.floor(ms))
    expect(time_to_decision?.p95_ms).toBeLessThanOrEqual(Math.ceil(ms * 1.05) + 1)
  })

  it('are the same when they are forgotten and counted again', async () => {
    const tenant = await busyTenant()
    const { until: _, ...before } = await countedNumbers(tenant)
    const rows = await asSuperuser(service.database, rowsOf(tenant))
    await asSuperuser(service.database, forget(tenant))
    const { until: __, ...after } = await countedNumbers(tenant)
    expect(after).toEqual(before)
    expect(await asSuperuser(service.database, rowsOf(tenant))).toEqual(rows)
  })

  it('name nobody whose action is erased, as if they were counted after it', async () => {
    const tenant = await busyTenant()
    await countedNumbers(tenant)
    const list = `select action_id from action_gate.actions where tenant_id = '${tenant.id}' and status in ('denied', 'executed')`
    const ended = await asSuperuser<{ action_id: string }>(service.database, list)
    expect(ended).toHaveLength(8)
    for (const { action_id } of ended) {
      const path = `/v1/tenants/${tenant.id}/actions/${action_id}/erase`
      const erased = await service.call('POST', path, { admin: service.admin, json: { reason: 'asked for' } })
      expect(erased.status).toBe(200)
    }
    const { until: _, ...numbers } = await countedNumbers(tenant)
    expect(numbers).toMatchObject({ ...plainCounts, decisions: 9, reasons: [] })
    expect(numbers.agents).toEqual([
      { agent_id: null, allowed: 3, held: 3, denied: 2 },
      { agent_id: 'agent-1', allowed: 0, held: 1, denied: 0 },
    ])
    await asSuperuser(service.database, forget(tenant))
    const { until: __, ...again } = await countedNumbers(tenant)
    expect(again).toEqual(numbers)
  })

  it('are read by members of the application and by nobody else', async () => {
    const [owner, other] = [await signUp(service.call), await signUp(service.call)]
    const read = (path: string) => owner.browser.call<Numbers>('GET', path)
    expect((await read(owner.path('/numbers'))).body).toMatchObject({ window: '24h', decisions: 0 })
    expect((await read(other.path('/numbers'))).status).toBe(404)
    expect((await read(owner.path('/numbers?window=1y'))).status).toBe(400)
  })
})

describe('counting that ends between its two steps', () => {
  const bound = 'alter table action_gate.number_marks add constraint stays check (counted = 0)'

  it('has kept nothing, and counts everything once when it goes on', async () => {
    const quiet = await startService({ worker: null })
    try {
      const tenant = await quiet.tenant()
      for (let count = 0; count < 5; count += 1) await tenant.submit({ system: 'nowhere' })
      const waiting = `select 1 from action_gate.log_outbox where tenant_id = '${tenant.id}'`
      await sequenceLog(quiet.context, new Set())
      expect(await asSuperuser(quiet.database, waiting)).toEqual([])
      await asSuperuser(quiet.database, bound)
      await expect(countNumbers(quiet.context)).rejects.toMatchObject({ code: '23514' })
      expect(await asSuperuser(quiet.database, rowsOf(tenant))).toEqual([])
      await asSuperuser(quiet.database, 'alter table action_gate.number_marks drop constraint stays')
      await Promise.all([countNumbers(quiet.context), countNumbers(quiet.context)])
      const path = `/v1/tenants/${tenant.id}/numbers`
      const { body } = await quiet.call<Numbers>('GET', path, { admin: quiet.admin })
      expect(body).toMatchObject({ decisions: 5, denied: 5, behind: 0 })
    } finally {
      await quiet.close()
    }
  })
})
