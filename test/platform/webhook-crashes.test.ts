import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startReceiver, type TestReceiver, webhookEnvironment } from '../support/fixtures/webhook-receiver.ts'
import { type ApiProcess, type Platform, startPlatform, tenant } from '../support/platform/platform.ts'
import { eventually } from '../support/platform/platform-waiting.ts'

/** A worker is killed between an event and the record of its message: the message arrives, under one id. */
let platform: Platform
let api: ApiProcess
let receiver: TestReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  platform = await startPlatform(inject('redisUrl'), {
    ...webhookEnvironment,
    SERVICE_WEBHOOK_MS_MAX: '300',
    SERVICE_SWEEP_MS: '100',
  })
  api = await platform.startApi()
  const response = await fetch(`${api.url}/v1/tenants/${tenant}/webhooks`, {
    method: 'POST',
    headers: { 'x-service-admin-key': platform.keys.admin, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, event_types: ['action.settled'] }),
  })
  expect(response.status).toBe(201)
}, 60_000)

afterAll(async () => {
  await platform.stop()
  await receiver.close()
})

it.each([
  { step: 'messages_made', times: 1 },
  { step: 'message_claimed', times: 1 },
  { step: 'message_answered', times: 2 },
])(
  'killed at $step, it is sent $times times',
  async ({ step, times }) => {
    const doomed = await platform.startWorker({ SERVICE_FAILPOINT: `${step}:kill` })
    const { body } = await api.client.submit({ proposal_id: step, system: 'mock_crm' })
    expect(await doomed.process.exited).toMatchObject({ signal: 'SIGKILL' })
    const other = await platform.startWorker()
    await eventually(`the message about ${body.action_id} is delivered`, async () => {
      const text = `select from action_gate.webhook_deliveries where action_id = $1 and state = 'delivered'`
      return (await platform.sql.unsafe(text, [body.action_id])).length === 1 ? true : null
    })
    const messages = receiver.messages().filter(message => message.body.data.action_id === body.action_id)
    expect(messages).toHaveLength(times)
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1)
    other.process.signal('SIGKILL')
    await other.process.exited
  },
  60_000,
)
