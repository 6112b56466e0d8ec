import { afterEach, expect, it } from 'vitest'
import { sweep } from '../../../shared/flow/execution/sweep.ts'
import {
  everyType,
  makeWebhook,
  startReceiver,
  webhookEnvironment,
} from '../../support/fixtures/webhook-receiver.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
afterEach(() => service.close())

it('what takes longer than a statement may is made into messages in smaller parts', async () => {
  const env = { ...webhookEnvironment, SERVICE_STATEMENT_MS_MAX: '1000' }
  service = await startService({ platform: true, env })
  const { url, received, close } = await startReceiver()
  const tenant = await service.tenant()
  const made = await makeWebhook(service, tenant.id, { url, event_types: everyType, enabled: false })
  await Promise.all(Array.from({ length: 100 }, () => tenant.submit({ system: 'elsewhere' })))
  await asSuperuser(
    service.database,
    `create function action_gate.take_long() returns trigger language plpgsql as
     $$ begin perform pg_sleep(0.03); return new; end $$`,
    `create trigger take_long before insert on action_gate.webhook_deliveries
     for each row execute function action_gate.take_long()`,
    `update action_gate.webhooks set enabled = true where webhook_id = '${made.webhook.webhook_id}'`,
  )
  await received(100)
  expect(service.logged()).toContain('make_messages')
  await close()
})

it('endpoints behind a thousand whose messages are not due are served', async () => {
  service = await startService({ platform: true, env: webhookEnvironment })
  const { url, received, close } = await startReceiver()
  const tenant = await service.tenant()
  await asSuperuser(
    service.database,
    `insert into action_gate.webhooks (webhook_id, tenant_id, url, event_types, enabled, position)
     select 'wh_' || translate(lpad(n::text, 16, '0'), '0189', 'abcd'), '${tenant.id}', '${url}', '[]', true, 1000000
     from generate_series(0, 2500) n`,
    `insert into action_gate.webhook_deliveries
       (webhook_id, log_index, tenant_id, type, action_id, status, occurred_at, next_attempt_at)
     select webhook_id, 0, tenant_id, 'action.settled', 'act_' || repeat('0', 36), 'executed',
       '2026-11-21T00:00:00.000Z', now() + interval '1 day'
     from action_gate.webhooks`,
    `update action_gate.webhook_deliveries set next_attempt_at = now()
     where webhook_id = (select max(webhook_id) from action_gate.webhooks)`,
  )
  await received(1)
  await close()
})

it('messages of long ago are forgotten by thousands in one sweep', async () => {
  service = await startService({ platform: true, worker: null, env: webhookEnvironment })
  const tenant = await service.tenant()
  const { webhook } = await makeWebhook(service, tenant.id, {
    url: 'https://example.org/',
    event_types: everyType,
  })
  await asSuperuser(
    service.database,
    `insert into action_gate.webhook_deliveries
       (webhook_id, log_index, tenant_id, type, action_id, status, occurred_at, state, created_at)
     select '${webhook.webhook_id}', n, '${tenant.id}', 'action.settled', 'act_' || repeat('0', 36), 'executed',
       '2026-11-21T00:00:00.000Z', 'delivered', now() - interval '31 days'
     from generate_series(1, 3000) n`,
  )
  await sweep(service.context)
  const left = 'select count(*)::int4 as left from action_gate.webhook_deliveries'
  expect(await asSuperuser(service.database, left)).toEqual([{ left: 0 }])
})
