import { afterAll, beforeAll, expect, it } from 'vitest'
import { newActionId } from '../../shared/runtime/ids.ts'
import { newSecret } from '../../shared/runtime/secrets/secret.ts'
import { startService, type TestService } from '../support/service/service.ts'
import type { TestTenant } from '../support/service/tenant.ts'

/** What is not told in words is not told by how long it takes either: medians of requests that take turns. */
const rounds = 300
const triesMax = 8
const differenceMax = 0.05
let service: TestService
let ours: TestTenant
let theirs: TestTenant

beforeAll(async () => {
  service = await startService({
    worker: null,
    env: { SERVICE_LOG_LEVEL: 'silent', SERVICE_SUBMIT_WAIT_MS: '0' },
  })
  ours = await service.tenant()
  theirs = await service.tenant()
})

afterAll(() => service.close())

async function millisecondsOf(path: string, key: string, status: number): Promise<number> {
  const begun = performance.now()
  const answer = await service.call('GET', path, { key })
  expect(answer.status).toBe(status)
  return performance.now() - begun
}

function median(values: number[]): number {
  return values.sort((left, right) => left - right)[values.length >> 1] ?? 0
}

/** How far apart the medians are, as a part of the smaller one. */
async function difference(one: () => Promise<number>, other: () => Promise<number>): Promise<number> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2
    for (const which of [first, 1 - first] as const) times[which]?.push(await (which ? other : one)())
  }
  const medians = times.map(median)
  return Math.abs((medians[0] ?? 0) - (medians[1] ?? 0)) / Math.min(...medians)
}

/** Noise comes and goes; a difference stays. */
async function alike(one: () => Promise<number>, other: () => Promise<number>): Promise<number> {
  const found: number[] = []
  while (found.length < triesMax && !found.some(part => part < differenceMax)) {
    found.push(await difference(one, other))
  }
  return Math.min(...found)
}

it("another tenant's action takes as long as one that never was", { timeout: 120_000 }, async () => {
  const { action_id } = (await theirs.submit({ risk: 'high' })).body
  const ask = (id: string) => () => millisecondsOf(`/v1/actions/${id}`, ours.agent, 404)
  expect(await alike(ask(action_id), ask(newActionId()))).toBeLessThan(differenceMax)
})

it('a key that nobody has takes as long as a wrong secret', { timeout: 120_000 }, async () => {
  const ask = (key: string) => () => millisecondsOf('/v1/actions', key, 403)
  const unknown = `agk_aaaaaaaaaaaaaaaa.${newSecret()}`
  const wrong = `${ours.agent.split('.')[0]}.${newSecret()}`
  expect(await alike(ask(unknown), ask(wrong))).toBeLessThan(differenceMax)
})
