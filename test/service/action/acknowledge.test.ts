import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: null })
})
afterAll(() => service.close())

it('an approver says that they look at a held action, and it stays held', async () => {
  const tenant = await service.tenant()
  const { body } = await tenant.submit({ risk: 'high' })
  const answer = await service.call('POST', `/v1/actions/${body.action_id}/acknowledge`, {
    key: tenant.approver,
    json: {},
  })
  expect(answer.status).toBe(200)
  const trace = await tenant.trace(body.action_id)
  expect(trace.status).toBe('pending_approval')
  expect(trace.events.at(-1)).toMatchObject({ kind: 'acknowledgement', principal: { kind: 'approver' } })
})
