import { afterAll, beforeAll, expect, it } from 'vitest'
import { submitProposal } from '../../../shared/flow/action/submit-proposal.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'

let service: TestService

beforeAll(async () => {
  service = await startService({ worker: null })
})

afterAll(() => service.close())

it.each([
  [1, [1, 2]],
  [4, [1, 2, 3, 4, 5]],
])(
  'a proposal that meets %i changes of the rules is decided once under each version',
  async (changes, versions) => {
    const { id, agent } = await service.tenant()
    const [key_id = ''] = agent.split('.')
    const { now } = await service.context.findKey(key_id)
    const decidedUnder: number[] = []
    const rules: Context['rules'] = async tenantId => {
      const known = await service.context.rules(tenantId)
      decidedUnder.push(known?.version ?? 0)
      return known
    }
    const reach: Context['reach'] = async step => {
      if (step === 'submit_decided' && decidedUnder.length <= changes) await revise(id, decidedUnder.length)
    }
    const verdict = await submitProposal(
      { ...service.context, rules, reach },
      {
        principal: { key_id, name: 'agent', scope: 'agent', tenant_id: id },
        now,
        proposal: proposal(),
        wait_ms: 0,
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      },
    )
    expect(decidedUnder).toEqual(versions)
    expect(verdict.policy.revision).toBe(changes + 1)
  },
)

async function revise(tenantId: string, round: number): Promise<void> {
  const { status } = await service.call('PUT', `/v1/tenants/${tenantId}/policy`, {
    admin: service.admin,
    json: { ...plainPolicy, review_route: `route-${round}` },
  })
  expect(status).toBe(200)
}
