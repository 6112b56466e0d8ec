import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { sealingEnvironment } from '../support/fixtures/secrets-keys.ts'
import { type ApiProcess, type Platform, startPlatform, tenant } from '../support/platform/platform.ts'

/** An API fails while it stores a secret, or a tool: all of it is there with its events, or nothing is. */
const failures = ['kill', 'throw'] as const
const steps = [
  { step: 'secret_written', there: false },
  { step: 'secret_committed', there: true },
  { step: 'tool_written', there: false },
  { step: 'tool_committed', there: true },
] as const
const cells = steps.flatMap(each => failures.map(failure => ({ ...each, failure })))
type Cell = (typeof cells)[number]

let platform: Platform
let steady: ApiProcess
let made = 0

const shop = {
  name: 'shop',
  kind: 'http',
  settings: { base_url: 'https://shop.example', operations: { read: { method: 'GET', path: '/' } } },
}

beforeAll(async () => {
  const { SERVICE_SECRETS_PUBLIC_KEY } = sealingEnvironment
  platform = await startPlatform(inject('redisUrl'), { SERVICE_SECRETS_PUBLIC_KEY })
  steady = await platform.startApi()
  const { status } = await send(steady, 'PUT', '/actuators', { actuators: [shop] })
  expect(status).toBe(200)
}, 120_000)

afterAll(() => platform.stop())

async function send(api: ApiProcess, method: string, path: string, body?: object) {
  const response = await fetch(`${api.url}/v1/tenants/${tenant}${path}`, {
    method,
    headers: {
      'x-service-admin-key': platform.keys.admin,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, text: await response.text() }
}

/** What a change makes, under a name that no other cell has. */
function changeOf({ step }: Cell, api: ApiProcess) {
  made += 1
  const name = `crash${made}`
  if (step.startsWith('secret'))
    return {
      name,
      make: () => send(api, 'PUT', `/secrets/${name}`, { actuator: 'shop', value: `value of ${name}` }),
    }
  const entry = {
    system: name,
    operation: 'read',
    title: 'Read',
    actuator: { name, kind: 'http' },
    idempotency: 'none',
    tool_schema_hash: null,
    effects: ['read'],
    reversibility: 'reversible',
    minimum_risk: 'low',
    parameter_schema: { type: 'object', additionalProperties: false, properties: {} },
  }
  const change = { actuator: { ...shop, name }, operations: [entry], allowed: ['read'] }
  return { name, make: () => send(api, 'PUT', `/tools/${name}`, change) }
}

/** Everything that the tenant has, and how many events and revisions say so. */
async function everything() {
  const lists = await Promise.all(
    ['/secrets', '/tools', '/actuators', '/policy'].map(path => send(steady, 'GET', path)),
  )
  const [counts] = await platform.sql.unsafe<{ events: number; policies: number; catalogs: number }[]>(
    `select (select count(*)::int from action_gate.config_events where tenant_id = $1) as events,
      (select count(*)::int from action_gate.policy_revisions where tenant_id = $1) as policies,
      (select count(*)::int from action_gate.catalog_revisions where tenant_id = $1) as catalogs`,
    [tenant],
  )
  return { text: lists.map(({ text }) => text).join('\n'), ...counts }
}

describe('an API that fails', () => {
  it.each(cells)(
    'at $step: $failure',
    async cell => {
      const before = await everything()
      const api = await platform.startApi({ SERVICE_FAILPOINT: `${cell.step}:${cell.failure}` })
      const { name, make } = changeOf(cell, api)
      const answer = await make().catch(() => null)
      if (cell.failure === 'kill') {
        expect(answer).toBeNull()
        expect(await api.process.exited).toMatchObject({ signal: 'SIGKILL' })
      } else {
        await api.process.logged('failpoint')
        expect(answer?.status).toBe(500)
      }
      const after = await everything()
      if (cell.there) {
        const isTool = cell.step.startsWith('tool')
        expect(after.events).toBe((before.events ?? 0) + (isTool ? 3 : 1))
        expect(after.policies).toBe((before.policies ?? 0) + (isTool ? 1 : 0))
        expect(after.catalogs).toBe((before.catalogs ?? 0) + (isTool ? 1 : 0))
        expect(after.text).toContain(name)
      } else expect(after).toEqual(before)
      api.process.signal('SIGKILL')
      await api.process.exited
    },
    60_000,
  )
})
