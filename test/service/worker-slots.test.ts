import { afterAll, expect, it } from 'vitest'
import { startService } from '../support/service.ts'

const service = await startService({
  platform: true,
  env: { SERVICE_WORKER_CONCURRENCY: '1', SERVICE_FAILPOINT: 'call_answered:stall=5000' },
})
afterAll(() => service.close())

it('a call that has answered leaves its slot to another while its outcome is recorded', async () => {
  const tenant = await service.tenant()
  const slow = await tenant.submit({}, { prefer: 'wait=0' })
  const next = await tenant.submit({}, { prefer: 'wait=0' })
  expect((await tenant.settled(next.body.action_id)).status).toBe('executed')
  expect((await tenant.trace(slow.body.action_id)).status).toBe('executing')
  expect((await tenant.settled(slow.body.action_id)).status).toBe('executed')
})
