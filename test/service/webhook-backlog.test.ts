import { afterEach, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { asSuperuser } from '../support/superuser.ts'
import { everyType, makeWebhook, startReceiver, webhookEnvironment } from '../support/webhook-receiver.ts'

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
