import { afterAll, beforeAll, expect, it } from 'vitest'
import { sweep } from '../../../shared/flow/execution/sweep.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService

beforeAll(async () => {
  const env = { SERVICE_STATEMENT_MS_MAX: '600' }
  service = await startService({ platform: true, env, worker: null })
})

afterAll(() => service.close())

it('a pass that takes longer than a statement may comes to its end', async () => {
  const slow = ['scan_cursors', 'sessions', 'devices'].map(
    table => `create trigger take_long before delete on action_gate.${table}
      for each statement execute function action_gate.take_long()`,
  )
  await asSuperuser(
    service.database,
    `create function action_gate.take_long() returns trigger language plpgsql as
     $$ begin perform pg_sleep(0.4); return null; end $$`,
    ...slow,
  )
  await sweep(service.context)
  const samples = await asReader(service.context.store, 'select from queue_samples')
  expect(samples).toHaveLength(1)
})
