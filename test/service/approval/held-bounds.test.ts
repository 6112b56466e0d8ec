import { afterEach, expect, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'

const started: TestService[] = []

async function start(options: Parameters<typeof startService>[0]): Promise<TestService> {
  const service = await startService(options)
  started.push(service)
  return service
}

afterEach(async () => {
  for (const service of started.splice(0).reverse()) await service.close()
})

const bytesMax = 40_000
const bounded = { SERVICE_HELD_BYTES_MAX: String(bytesMax) }

/** About 3 kB are recorded of one that is held. */
const held = (id: string) =>
  proposal({ proposal_id: id, risk: 'high', parameters: { text: 'x'.repeat(2_000) } })

async function submit(service: TestService, key: string, json: object) {
  const { status, body } = await service.call<Verdict & Problem>('POST', '/v1/actions', { key, json })
  return { said: `${status} ${body.code ?? body.action_status}`, body }
}

async function fill(service: TestService, key: string, prefix: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const { said, body } = await submit(service, key, held(`${prefix}-${ids.length}`))
    if (said === '409 too_many_held') return ids
    expect(said).toBe('200 pending_approval')
    ids.push(body.action_id)
  }
}

async function recorded(service: TestService, { id }: TestTenant): Promise<number> {
  const rows = await asSuperuser<{ bytes: string }>(
    service.database,
    `select sum(octet_length(payload)) as bytes from action_gate.event_payloads join action_gate.actions using (action_id)
     where actions.tenant_id = '${id}' and status = 'pending_approval'`,
  )
  return Number(rows[0]?.bytes)
}

it('held proposals of a tenant are bounded by bytes, over all of its keys', async () => {
  const service = await start({ env: bounded })
  const [tenant, other] = [await service.tenant(), await service.tenant()]
  const mint = async () => {
    const path = `/v1/tenants/${tenant.id}/api-keys`
    const json = { name: `key ${Math.random()}` }
    const { body } = await service.call<{ api_key: string }>('POST', path, { admin: service.admin, json })
    return body.api_key
  }
  const ids = await fill(service, tenant.agent, 'one')
  const bytes = await recorded(service, tenant)
  expect(bytes).toBeLessThanOrEqual(bytesMax)
  expect(bytes + bytes / ids.length).toBeGreaterThan(bytesMax)
  const over = await submit(service, await mint(), held('another'))
  expect([over.said, over.body.detail]).toEqual([
    '409 too_many_held',
    `held proposals of a tenant have ${bytesMax} bytes at most in all: decide or withdraw some that wait`,
  ])
  expect((await submit(service, other.agent, held('one-0'))).said).toBe('200 pending_approval')
})

it('a tenant without room gets old answers, and what is allowed or denied', async () => {
  const service = await start({ env: bounded })
  const tenant = await service.tenant()
  const ids = await fill(service, tenant.agent, 'one')
  const again = await submit(service, tenant.agent, held('one-0'))
  expect([again.said, again.body.action_id]).toEqual(['200 pending_approval', ids[0]])
  const changed = { ...held('one-0'), summary: 'something else' }
  expect((await submit(service, tenant.agent, changed)).said).toBe('409 proposal_conflict')
  expect((await submit(service, tenant.agent, proposal())).said).toBe('200 executed')
  expect((await submit(service, tenant.agent, proposal({ system: 'nowhere' }))).said).toBe('200 denied')
  for (const id of ids.slice(0, 3)) expect((await tenant.reject(id)).status).toBe(200)
  await expect
    .poll(async () => (await submit(service, tenant.agent, held('later'))).said, { timeout: 10_000 })
    .toBe('200 pending_approval')
})

it('two processes together stay within the bound and an eighth', async () => {
  const first = await start({ worker: null, env: bounded })
  const second = await start({ worker: null, env: bounded, database: first.database })
  const tenant = await first.tenant()
  // The second knows an empty tenant when the first fills it.
  expect((await submit(second, tenant.agent, held('begins'))).said).toBe('200 pending_approval')
  await Promise.all([fill(first, tenant.agent, 'one'), fill(second, tenant.agent, 'two')])
  expect((await submit(second, tenant.agent, held('over'))).said).toBe('409 too_many_held')
  const bytes = await recorded(first, tenant)
  expect(bytes).toBeGreaterThan(bytesMax / 2)
  expect(bytes).toBeLessThanOrEqual(bytesMax + bytesMax / 8)
})

it('of many that come together no more are held than there is room for', async () => {
  const service = await start({ worker: null, env: bounded })
  const tenant = await service.tenant()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) => submit(service, tenant.agent, held(`together-${at}`))),
  )
  const kinds = new Set(answers.map(({ said }) => said))
  expect(kinds).toEqual(new Set(['200 pending_approval', '409 too_many_held']))
  expect(await recorded(service, tenant)).toBeLessThanOrEqual(bytesMax)
})
