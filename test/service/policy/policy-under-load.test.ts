import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { PolicyState } from '../../../shared/contract/configuration/tenant.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { crm, plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'

const revisions = 50
const submitters = 32

let service: TestService
let second: TestService

beforeAll(async () => {
  service = await startService({ platform: true })
  second = await startService({ platform: true, database: service.database, worker: null })
})

afterAll(async () => {
  await second.close()
  await service.close()
})

interface Seen {
  status: number
  decision: string
  revision: number
  /** The newest revision that was acknowledged before the proposal was sent, and after it was answered. */
  atLeast: number
  atMost: number
}

/** Odd revisions allow what even ones deny. */
const decisionUnder = (revision: number) => (revision % 2 === 1 ? 'allow' : 'deny')

it('a policy that changes under load on two processes drops and misjudges nothing', async () => {
  const tenant = await service.tenant({ actuators: [crm] })
  const seen: Seen[] = []
  const state = { acknowledged: 1, begun: 1, done: false }
  const load = Promise.all(
    Array.from({ length: submitters }, (_, at) =>
      submitUntilDone(tenant, at % 2 === 0 ? service : second, state, seen),
    ),
  )
  while (state.acknowledged < revisions) {
    const enough = seen.length + submitters
    await expect.poll(() => seen.length, { interval: 5, timeout: 10_000 }).toBeGreaterThan(enough)
    await revise(tenant, state)
  }
  state.done = true
  await load

  expect(seen.length).toBeGreaterThan(revisions * submitters)
  expect(seen.filter(({ status }) => status !== 200 && status !== 202)).toEqual([])
  expect(seen.filter(({ decision, revision }) => decision !== decisionUnder(revision))).toEqual([])
  expect(seen.filter(({ revision, atLeast, atMost }) => revision < atLeast || revision > atMost)).toEqual([])
  expect(new Set(seen.map(({ revision }) => revision)).size).toBeGreaterThan(revisions / 2)
}, 120_000)

async function revise(tenant: TestTenant, state: { acknowledged: number; begun: number }): Promise<void> {
  state.begun += 1
  const systems = decisionUnder(state.begun) === 'allow' ? ['crm'] : ['elsewhere']
  const { body } = await service.call<PolicyState>('PUT', `/v1/tenants/${tenant.id}/policy`, {
    admin: service.admin,
    json: { ...plainPolicy, allowed_systems: systems },
  })
  expect(body.revision).toBe(state.begun)
  state.acknowledged = body.revision
}

async function submitUntilDone(
  tenant: TestTenant,
  { call }: TestService,
  state: { acknowledged: number; begun: number; done: boolean },
  seen: Seen[],
): Promise<void> {
  while (!state.done) {
    const atLeast = state.acknowledged
    const { status, body } = await call<Verdict>('POST', '/v1/actions', {
      key: tenant.agent,
      json: proposal(),
      headers: { prefer: 'wait=0' },
    })
    seen.push({
      status,
      decision: body.decision,
      revision: body.policy?.revision ?? 0,
      atLeast,
      atMost: state.begun,
    })
  }
}
