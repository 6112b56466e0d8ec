import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { type ApiProcess, type Platform, policy, startPlatform } from '../support/platform/platform.ts'
import { forEachOf } from '../support/platform/platform-waiting.ts'

const rounds = 20

let platform: Platform
beforeEach(async ({ onTestFailed }) => {
  platform = await startPlatform(inject('redisUrl'), { SERVICE_SWEEP_MS: '300' })
  onTestFailed(() => void process.stderr.write(platform.output()))
})
afterEach(() => platform.stop())

it('after kill -9 amid submissions the same proposals are the same actions, once', async () => {
  const [api] = await Promise.all([platform.startApi(), platform.startWorker()])
  const proposals = Array.from({ length: 200 }, (_, n) => `p-${n}`)
  const answered = new Map<string, string>()
  const cut: string[] = []
  await forEachOf(proposals, 16, async id => {
    try {
      const { body } = await api.client.submit({ proposal_id: id, system: 'ledger_plain' })
      answered.set(id, body.action_id)
    } catch {
      cut.push(id)
    }
    if (answered.size === 50) api.process.signal('SIGKILL')
  })
  expect(await api.process.exited).toMatchObject({ signal: 'SIGKILL' })
  expect(answered.size).toBeGreaterThanOrEqual(50)
  expect(cut.length).toBeGreaterThan(0)

  const { client } = await platform.startApi()
  const again = await forEachOf(proposals, 16, id =>
    client.submit({ proposal_id: id, system: 'ledger_plain' }),
  )
  expect(again.filter(({ status }) => status !== 200 && status !== 202)).toEqual([])
  const ids = new Map(again.map(({ body: { action_id } }, n) => [proposals[n], action_id]))
  for (const [proposal, action] of answered) expect(ids.get(proposal)).toBe(action)
  await expect.poll(() => countOf('executed'), { timeout: 15_000 }).toBe(200)
  expect(
    platform
      .ledger()
      .map(({ action_id }) => action_id)
      .sort(),
  ).toEqual([...ids.values()].sort())
}, 60_000)

it('the same proposal at once on two processes is one action', async () => {
  const both = await twoProcesses()
  const ids = await forEachOf(
    Array.from({ length: 2 * rounds }, (_, n) => n),
    16,
    async n =>
      (await both[n % 2 === 0 ? 0 : 1].client.submit({ proposal_id: 'one', system: 'mock_crm' })).body
        .action_id,
  )
  expect(new Set(ids).size).toBe(1)
  expect(ids[0]).toMatch(/^act_/)
}, 60_000)

it('a key that one process revokes is refused by the other from the next request on', async () => {
  const [one, other] = await twoProcesses()
  for (let round = 0; round < rounds; round += 1) {
    const { body: minted } = await one.client.mintKey('agent')
    const withIt = { authorization: `Bearer ${minted.api_key}` }
    const ask = () => other.client.submit({ proposal_id: `p-${round}`, system: 'mock_crm' }, withIt)
    expect((await ask()).status).toBe(202)
    expect((await one.client.revokeKey(minted.key.key_id)).status).toBe(200)
    expect(await ask()).toMatchObject({ status: 403, body: { code: 'key_revoked' } })
  }
}, 60_000)

it('a policy that one process replaces decides the next proposal on the other', async () => {
  const [one, other] = await twoProcesses()
  await other.client.submit({ proposal_id: 'before', system: 'mock_crm' })
  for (let round = 0; round < rounds; round += 1) {
    const open = round % 2 === 1
    const { status, body } = await one.client.replacePolicy({
      ...policy,
      allowed_systems: open ? policy.allowed_systems : [],
    })
    expect(status).toBe(200)
    const { body: verdict } = await other.client.submit({ proposal_id: `p-${round}`, system: 'mock_crm' })
    expect(verdict.policy.revision).toBe(body.revision)
    expect(verdict.decision).toBe(open ? 'allow' : 'deny')
  }
}, 60_000)

async function twoProcesses(): Promise<[ApiProcess, ApiProcess]> {
  const one = await platform.startApi()
  return [one, await platform.startApi()]
}

async function countOf(status: string): Promise<number> {
  const [row] = await platform.sql<{ actions: number }[]>`
    select count(*)::int as actions from action_gate.actions where status = ${status}`
  return row?.actions ?? 0
}
