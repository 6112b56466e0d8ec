import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { actionGate, Unreachable } from '../../../shared/client/index.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'
import { type Fault, type Front, startFront } from './front.ts'

let service: TestService
let tenant: TestTenant
let front: Front

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())
beforeEach(async () => {
  tenant = await service.tenant()
  front = await startFront(service.url)
})
afterEach(() => front.close())

const agent = (more: { unreachableAfterMs?: number } = {}) =>
  actionGate({ url: front.url, key: tenant.agent, ...more })
const approver = () => actionGate({ url: front.url, key: tenant.approver }).approvals

/** Every action of the tenant, with how often each was attempted. */
async function attempts(): Promise<number[]> {
  const { items } = await actionGate({ url: service.url, key: tenant.agent }).actions()
  const traces = await Promise.all(items.map(({ action_id }) => tenant.trace(action_id)))
  return traces.map(({ events }) => events.filter(({ kind }) => kind === 'execution_attempt').length)
}

const cuts = ['refuse', 'lose', 'truncate'] as const

describe.each(cuts)('a connection that is cut (%s)', cut => {
  test('at the proposal executes it once', async () => {
    front.spoil(/^POST \/v1\/actions$/, cut, cut)
    const { result } = await agent().run('crm.read', {})
    expect(result.ok).toBe(true)
    expect(await attempts()).toEqual([1])
    const sent = front.seen.filter(({ method }) => method === 'POST').map(({ body }) => body)
    expect(sent).toHaveLength(3)
    expect(new Set(sent).size).toBe(1)
  })

  test('at every poll and at the approval executes it once', async () => {
    front.spoil(/^GET /, cut, cut)
    front.spoil(/\/approve$/, cut)
    const { actionId, result } = await agent().run(
      'crm.read',
      {},
      {
        risk: 'high',
        onHeld: async held => {
          const decided = await approver().approve(held.actionId)
          expect(decided.actionId).toBe(held.actionId)
        },
      },
    )
    expect(result.ok).toBe(true)
    expect(front.left()).toBe(0)
    expect((await tenant.trace(actionId)).status).toBe('executed')
    expect(await attempts()).toEqual([1])
  })

  test('at a rejection or a withdrawal says what this key decided', async () => {
    front.spoil(/\/(reject|cancel)$/, cut, cut)
    const ids = await Promise.all(
      [1, 2].map(async count => (await agent().submit('crm.read', { count }, { risk: 'high' })).action_id),
    )
    const rejected = await approver().reject(ids[0] ?? '')
    const withdrawn = await agent().cancel(ids[1] ?? '')
    expect([rejected.outcome?.code, withdrawn.outcome?.code]).toEqual(['rejected', 'withdrawn'])
    expect(front.left()).toBe(0)
  })
})

test('a repetition that finds the decision of another is refused', async () => {
  const { action_id: actionId } = await agent().submit('crm.read', {}, { risk: 'high' })
  await tenant.approve(actionId)
  front.spoil(/\/reject$/, 'refuse')
  await expect(approver().reject(actionId)).rejects.toMatchObject({
    name: 'Refused',
    code: 'action_not_approvable',
  })
})

const problem = (status: number, code: string, wait: string): Fault => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'retry-after': wait },
  body: JSON.stringify({ code, detail: 'for a while', status }),
})

describe('an answer that asks to come back', () => {
  test.each([
    ['429', problem(429, 'rate_limited', '1')],
    ['503', problem(503, 'storage_unavailable', '1')],
    ['502 of a proxy', { status: 502, body: '<html>', headers: { 'retry-after': '1' } } as Fault],
  ])('%s is repeated with the same body, never before Retry-After', async (_, fault) => {
    front.spoil(/^POST /, fault)
    const begun = performance.now()
    await agent().run('crm.read', {})
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1_000)
    expect(front.seen).toHaveLength(2)
    expect(front.seen[0]).toEqual(front.seen[1])
    expect(await attempts()).toEqual([1])
  })

  test('later than the caller has patience for is Unreachable at once', async () => {
    front.spoil(/^POST /, problem(429, 'rate_limited', '3600'))
    const failure = await agent()
      .run('crm.read', {}, { proposalId: 'order-19' })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Unreachable)
    expect(failure).toMatchObject({ code: 'rate_limited', next: expect.stringContaining("'order-19'") })
    expect(front.seen).toHaveLength(1)
  })

  test('with a page instead of the service is Unreachable in the end', async () => {
    front.spoil(/^POST /, ...Array.from({ length: 9 }, () => ({ status: 200, body: '<html>' })))
    const failure = await agent({ unreachableAfterMs: 500 })
      .run('crm.read', {})
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'Unreachable', code: 'not_the_service' })
  })
})

test('a redirect is Refused, and the key goes nowhere else', async () => {
  const other = await startFront(service.url)
  front.spoil(/^POST /, { status: 307, headers: { location: `${other.url}/v1/actions` } })
  await expect(agent().run('crm.read', {})).rejects.toMatchObject({ name: 'Refused', code: 'redirected' })
  expect(other.seen).toEqual([])
  await other.close()
})

describe('the polls of an action that waits', () => {
  test('are long ones: five requests from the proposal to the result', async () => {
    let approved: Promise<unknown> = Promise.resolve()
    await agent().run(
      'crm.read',
      {},
      {
        risk: 'high',
        onHeld: ({ actionId }) => {
          approved = new Promise(resolve => setTimeout(resolve, 2_500)).then(() => tenant.approve(actionId))
        },
      },
    )
    await approved
    expect(front.seen.length).toBeLessThanOrEqual(5)
    expect(front.seen.filter(({ path }) => path.endsWith('?wait=30')).length).toBeGreaterThanOrEqual(1)
  })

  test('rest where something between answers at once', async () => {
    const hasty = await startFront(service.url)
    const unchanged: Fault = { status: 304, headers: { etag: '"same"' } }
    hasty.spoil(/^GET /, ...Array.from({ length: 99 }, () => unchanged))
    const aborter = new AbortController()
    const onHeld = () => {
      setTimeout(() => aborter.abort(), 3_500)
    }
    const waiting = actionGate({ url: hasty.url, key: tenant.agent }).run(
      'crm.read',
      {},
      { risk: 'high', signal: aborter.signal, onHeld },
    )
    await expect(waiting).rejects.toMatchObject({ name: 'Interrupted' })
    const polls = hasty.seen.filter(({ method }) => method === 'GET').length
    expect(polls).toBeGreaterThanOrEqual(2)
    expect(polls).toBeLessThanOrEqual(5)
    await hasty.close()
  })
})

test('a process that is killed while it waits goes on with settled and its proposal id', async () => {
  const program = `
    import { actionGate } from ${JSON.stringify(`${repositoryRoot}/dist/shared/client/index.js`)}
    const [url, key] = process.argv.slice(1)
    const onHeld = held => console.log(held.actionId)
    await actionGate({ url, key }).run('crm.read', {}, { proposalId: 'order-20', risk: 'high', onHeld })
  `
  const parameters = ['--input-type=module', '-e', program, front.url, tenant.agent]
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [actionId] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  child.kill('SIGKILL')
  await once(child, 'exit')
  const settled = agent().settled(actionId)
  const again = agent().run('crm.read', {}, { proposalId: 'order-20', risk: 'high' })
  await tenant.approve(actionId)
  expect((await settled).actionId).toBe(actionId)
  expect((await again).actionId).toBe(actionId)
  expect(await attempts()).toEqual([1])
})
