import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

it('each tenant has its own time to live, after which a held action is denied', async () => {
  const make = async (tenant_id: string, more: object): Promise<string> => {
    const json = { tenant_id, policy: plainPolicy, mock_actuators: ['crm'], ...more }
    const made = await service.call<{ api_key: string }>('POST', '/v1/tenants', {
      admin: service.admin,
      json,
    })
    expect(made.status).toBe(201)
    return made.body.api_key
  }
  const brief = await make('brief', { approval_ttl_ms: 1_000 })
  const patient = await make('patient', {})
  const submit = async (key: string): Promise<string> => {
    const answer = await service.call<Verdict>('POST', '/v1/actions', {
      key,
      json: proposal({ risk: 'high' }),
    })
    return answer.body.action_id
  }
  const [soon, later] = [await submit(brief), await submit(patient)]
  const read = async (key: string, id: string) =>
    (await service.call<Trace>('GET', `/v1/actions/${id}`, { key })).body
  const at = async (key: string, id: string) => (await read(key, id)).status
  expect((await read(brief, soon)).verdict).toMatchObject({ decide_within_ms: 1_000 })
  expect(await at(brief, soon)).toBe('pending_approval')
  await expect.poll(() => at(brief, soon), { timeout: 10_000 }).toBe('denied')
  expect(await at(patient, later)).toBe('pending_approval')
})
