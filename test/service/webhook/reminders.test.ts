import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Webhook } from '../../../shared/contract/webhook.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import {
  makeWebhook,
  startReceiver,
  type TestReceiver,
  webhookEnvironment,
} from '../../support/fixtures/webhook-receiver.ts'
import { type MailServer, startMailServer } from '../../support/servers/mail-server.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'
import { patient } from '../../support/service/webhook-bed.ts'

const login = { user: 'gate', pass: 's3cret-mail' }
let service: TestService
let tenant: TestTenant
let mails: MailServer
let receiver: TestReceiver

beforeAll(async () => {
  mails = await startMailServer(login)
  receiver = await startReceiver()
  service = await startService({
    env: {
      ...webhookEnvironment,
      SERVICE_SWEEP_MS: '100',
      SERVICE_SMTP_URL: mails.url,
      SERVICE_MAIL_FROM: 'gate@example.org',
      SERVICE_BASE_URL: 'https://gate.example.org',
    },
  })
})
afterAll(async () => {
  await service.close()
  await mails.close()
  await receiver.close()
})
beforeEach(async () => {
  receiver.seen.length = 0
  mails.mails.length = 0
  tenant = await service.tenant()
})

const both = ['action.pending_approval', 'action.reminder']
const reminding = (change: object = {}) =>
  makeWebhook(service, tenant.id, {
    url: receiver.url,
    event_types: both,
    remind_after_ms: [2_000, 1_000, 1_000],
    ...change,
  })

const hold = async (): Promise<string> => (await tenant.submit({ risk: 'high' })).body.action_id

describe('a held action that nobody decides', () => {
  it('is recalled once for each reminder, in time, by messages of their own', async () => {
    const made = await reminding()
    expect(made.webhook.remind_after_ms).toEqual([1_000, 2_000])
    const id = await hold()
    const deliveries = await made.all('delivered', 3)
    const [, own] = made.webhook.webhook_id.split('_')
    const place = deliveries.at(-1)?.delivery_id.split('_')[2]
    const expected = ['', 'r1', 'r2'].map(end => `msg_${own}_${place}${end}`)
    expect(deliveries.map(({ delivery_id }) => delivery_id)).toEqual(expected.toReversed())
    const messages = receiver.messages()
    expect(messages.map(message => message.id)).toEqual(expected)
    expect(messages.map(({ body }) => body.type)).toEqual([both[0], both[1], both[1]])
    const heldAt = Date.parse(messages[0]?.body.timestamp ?? '')
    for (const [at, { body }] of messages.entries()) {
      expect(body.data).toMatchObject({
        action_id: id,
        status: 'pending_approval',
        review_url: `https://gate.example.org/approve/${tenant.id}/${id}`,
      })
      const sentAt = Date.parse(deliveries.toReversed()[at]?.last_attempt_at ?? '')
      expect(sentAt - heldAt).toBeGreaterThanOrEqual(at * 1_000)
    }
  })

  it('is recalled by e-mail, in words that say so', async () => {
    await reminding({
      url: 'mailto:lead@example.org',
      format: 'email',
      event_types: ['action.reminder'],
      remind_after_ms: [1_000],
    })
    await hold()
    const [mail] = await mails.received(1)
    expect(mail?.subject).toMatch(/ still waits for a decision$/)
    expect(mail?.text).toMatch(/^Decide: https:\/\/gate\.example\.org\/approve\//m)
  })

  it('is listed with the reminders to come, page by page', async () => {
    const made = await reminding({ remind_after_ms: [600_000, 700_000] })
    await hold()
    await receiver.received(1)
    const pageOf = async (cursor: string | null) => {
      const path = `${made.path}/deliveries?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`
      const { body } = await service.call('GET', path, { admin: service.admin })
      return body as { deliveries: { delivery_id: string; state: string }[]; next_cursor: string | null }
    }
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await pageOf(cursor)
      seen.push(...page.deliveries.map(({ delivery_id }) => delivery_id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen.map(id => id.slice(-2))).toEqual(['r2', 'r1', expect.not.stringContaining('r')])
    const path = `${made.path}/deliveries/${seen[1]}/redeliver`
    expect((await service.call('POST', path, { admin: service.admin })).status).toBe(200)
    const [, second] = await receiver.received(2)
    expect(second?.id).toBe(seen[1])
  })
})

describe('a held action that somebody decides', () => {
  it('is recalled no more, and others are', async () => {
    const made = await reminding({ event_types: ['action.reminder'], remind_after_ms: [1_000] })
    const decided = await Promise.all(Array.from({ length: 9 }, hold))
    const waiting = await hold()
    for (const id of decided) await tenant.reject(id)
    await receiver.received(1)
    const left = `select action_id, state from webhook_deliveries where webhook_id = '${made.webhook.webhook_id}'`
    await expect
      .poll(() => asReader(service.context.store, left), patient)
      .toEqual([{ action_id: waiting, state: 'delivered' }])
    expect(receiver.messages().map(({ body }) => body.data.action_id)).toEqual([waiting])
  })
})

describe('reminders of a webhook', () => {
  it.each([
    { what: 'type without times', event_types: both },
    { what: 'type and an empty list', event_types: both, remind_after_ms: [] },
    { what: 'times without the type', event_types: ['action.settled'], remind_after_ms: [60_000] },
    { what: 'time below a second', event_types: both, remind_after_ms: [999] },
    { what: 'six times', event_types: both, remind_after_ms: [1, 2, 3, 4, 5, 6].map(each => each * 1_000) },
  ])('are refused: $what', async ({ what: _, ...json }) => {
    const path = `/v1/tenants/${tenant.id}/webhooks`
    const whole = { url: receiver.url, ...json }
    const { status, body } = await service.call<Problem>('POST', path, {
      admin: service.admin,
      json: whole,
    })
    expect({ status, path: body.errors?.[0]?.path }).toMatchObject({
      status: 400,
      path: expect.stringContaining('remind_after_ms'),
    })
  })

  it('are replaced for what is held from then on', async () => {
    const made = await reminding({ remind_after_ms: [600_000] })
    await hold()
    await receiver.received(1)
    const json = { url: receiver.url, event_types: ['action.reminder'], remind_after_ms: [1_000] }
    const { body } = await service.call<{ webhook: Webhook }>('PUT', made.path, {
      admin: service.admin,
      json,
    })
    expect(body.webhook.remind_after_ms).toEqual([1_000])
    const later = await hold()
    const [, reminder] = await receiver.received(2)
    expect(reminder?.body).toMatchObject({ type: 'action.reminder', data: { action_id: later } })
    await expect
      .poll(async () => (await made.deliveries()).map(({ state }) => state), patient)
      .toEqual(['delivered', 'pending', 'delivered'])
  })
})
