import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startPushService, type TestPushService } from '../support/fixtures/push-service.ts'
import { startReceiver, type TestReceiver, webhookEnvironment } from '../support/fixtures/webhook-receiver.ts'
import { type ApiProcess, type Platform, startPlatform, tenant } from '../support/platform/platform.ts'
import { eventually } from '../support/platform/platform-waiting.ts'
import { type MailServer, startMailServer } from '../support/servers/mail-server.ts'

/** A worker is killed between an event and the record of its message: the message arrives, under one id. */
let platform: Platform
let api: ApiProcess
let receiver: TestReceiver
let mails: MailServer
let push: TestPushService
let browser: ReturnType<TestPushService['browser']>

beforeAll(async () => {
  receiver = await startReceiver()
  push = await startPushService()
  browser = push.browser()
  mails = await startMailServer({ user: 'gate', pass: 's3cret-mail' })
  platform = await startPlatform(inject('redisUrl'), {
    ...webhookEnvironment,
    // On a busy machine a session of mail takes more than a second, and what is late leaves again.
    SERVICE_WEBHOOK_MS_MAX: '3000',
    SERVICE_SWEEP_MS: '100',
    SERVICE_SMTP_URL: mails.url,
    SERVICE_MAIL_FROM: 'gate@example.org',
    SERVICE_BASE_URL: 'https://gate.example.org',
  })
  api = await platform.startApi()
  await hook({ url: receiver.url, event_types: ['action.settled'] })
  await hook({ url: 'mailto:lead@example.org', format: 'email', event_types: ['action.pending_approval'] })
}, 60_000)

afterAll(async () => {
  await platform.stop()
  await receiver.close()
  await mails.close()
  await push.close()
})

async function hook(webhook: object): Promise<void> {
  const response = await fetch(`${api.url}/v1/tenants/${tenant}/webhooks`, {
    method: 'POST',
    headers: { 'x-service-admin-key': platform.keys.admin, 'content-type': 'application/json' },
    body: JSON.stringify(webhook),
  })
  expect(response.status).toBe(201)
}

/** The approver's browser; the other endpoint of what is held is silent from then on. */
async function subscribe(): Promise<void> {
  await platform.sql.unsafe(`update action_gate.webhooks set enabled = false where format = 'email'`)
  const subscribed = await fetch(`${api.url}/v1/push-subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.keys.approver}`, 'content-type': 'application/json' },
    body: JSON.stringify(browser.subscription),
  })
  expect(subscribed.status).toBe(200)
}

let proposals = 0

/** A worker ends at this step; another one delivers the message about the action, and nothing waits after it. */
async function killed(step: string, risk: 'low' | 'high', type: string): Promise<string> {
  const doomed = await platform.startWorker({ SERVICE_FAILPOINT: `${step}:kill` })
  const asked = {
    proposal_id: `${step}-${type}-${proposals++}`,
    system: 'mock_crm',
    operation: 'write',
    risk,
  }
  const { body } = await api.client.submit(asked)
  expect(await doomed.process.exited).toMatchObject({ signal: 'SIGKILL' })
  const other = await platform.startWorker()
  await delivered(body.action_id, type)
  if (risk === 'high') await api.client.reject(body.action_id)
  await delivered(body.action_id, 'action.settled')
  other.process.signal('SIGKILL')
  await other.process.exited
  return body.action_id
}

async function delivered(id: string, type: string): Promise<void> {
  await eventually(`the message ${type} about ${id} is delivered`, async () => {
    const text = `select from action_gate.webhook_deliveries where action_id = $1 and type = $2 and state = 'delivered'`
    return (await platform.sql.unsafe(text, [id, type])).length === 1 ? true : null
  })
}

it.each([
  { step: 'messages_made', times: 1 },
  { step: 'message_claimed', times: 1 },
  { step: 'message_answered', times: 2 },
])(
  'killed at $step, it is sent $times times',
  async ({ step, times }) => {
    const id = await killed(step, 'low', 'action.settled')
    const messages = receiver.messages().filter(message => message.body.data.action_id === id)
    expect(messages).toHaveLength(times)
    expect(new Set(messages.map(message => message.id)).size).toBe(1)
  },
  60_000,
)

it.each([
  { step: 'messages_made', times: 1 },
  { step: 'message_claimed', times: 1 },
  { step: 'message_answered', times: 2 },
])(
  'killed at $step, an e-mail leaves $times times',
  async ({ step, times }) => {
    const before = mails.mails.length
    const id = await killed(step, 'high', 'action.pending_approval')
    const sent = mails.mails.slice(before).filter(({ text }) => text?.includes(id))
    expect(sent).toHaveLength(times)
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(1)
  },
  60_000,
)

// Other messages have no reminder beside them, since the worker would end at the reminder where it is answered first.
it.each([
  { step: 'messages_made', times: 1 },
  { step: 'message_claimed', times: 1 },
])(
  'killed at $step, a reminder comes $times times',
  async ({ step, times }) => {
    await platform.sql.unsafe(`update action_gate.webhooks set enabled = false where format = 'email'`)
    const reminded = `remind_after_ms = '[1000]', event_types = '["action.settled", "action.reminder"]'`
    await platform.sql.unsafe(`update action_gate.webhooks set ${reminded} where format <> 'email'`)
    const id = await killed(step, 'high', 'action.reminder')
    const bodies = receiver.messages().map(({ body }) => body)
    const reminders = bodies.filter(({ type, data }) => type === 'action.reminder' && data.action_id === id)
    expect(reminders).toHaveLength(times)
  },
  60_000,
)

it.each([
  { step: 'messages_made', times: 1 },
  { step: 'message_claimed', times: 1 },
  { step: 'message_answered', times: 2 },
])(
  'killed at $step, a browser is sent it $times times under one topic',
  async ({ step, times }) => {
    await subscribe()
    await platform.sql.unsafe(`update action_gate.webhooks set remind_after_ms = '[]'::jsonb`)
    const id = await killed(step, 'high', 'action.pending_approval')
    const sent = browser.pushed().filter(({ notice }) => notice.path.includes(id))
    expect(sent).toHaveLength(times)
    expect(new Set(sent.map(({ headers, notice }) => `${headers.topic} ${notice.tag}`)).size).toBe(1)
  },
  60_000,
)
