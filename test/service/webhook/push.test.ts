import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { pushSubscriptionRequest } from '../../../shared/contract/examples/example-webhooks.ts'
import type { PushState, PushSubscription } from '../../../shared/contract/push-schema.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { senderOf, startPushService, type TestPushService } from '../../support/fixtures/push-service.ts'
import { makeWebhook, startReceiver, webhookEnvironment } from '../../support/fixtures/webhook-receiver.ts'
import { join } from '../../support/service/member.ts'
import { signUp } from '../../support/service/owner.ts'
import { type RoutedTenant, routedTenant } from '../../support/service/routed-tenant.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal } from '../../support/service/tenant.ts'

let service: TestService
let push: TestPushService
let tenant: RoutedTenant

beforeAll(async () => {
  service = await startService({
    env: {
      ...webhookEnvironment,
      SERVICE_WEBHOOK_RETRY_MS: '10,10,10,10,10,10,10,10',
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_LOGIN_LIMIT: '1000',
      SERVICE_SWEEP_MS: '100',
    },
  })
})
afterAll(() => service.close())
beforeEach(async () => {
  push = await startPushService()
  tenant = await routedTenant(service)
})
afterEach(() => push.close())

const path = '/v1/push-subscriptions'
type Subscribed = { subscription: PushSubscription } & Problem

const subscribe = (key: string, json: object) => service.call<Subscribed>('POST', path, { key, json })
const state = async (key: string) => (await service.call<PushState>('GET', path, { key })).body
const ids = async (key: string) => (await state(key)).subscriptions.map(one => one.subscription_id)

/** A browser of somebody with an approver key, subscribed. */
async function watching(key: string, change: object = {}) {
  const browser = push.browser()
  const { status, body } = await subscribe(key, { ...browser.subscription, ...change })
  expect(status).toBe(200)
  return { ...browser, id: body.subscription.subscription_id }
}

/** Nothing that was made for an endpoint is left to be sent. */
async function nothingLeft(id: string): Promise<void> {
  const text = `select from webhook_deliveries where webhook_id = '${id}' and state = 'pending'`
  const passed = `
    select from webhooks w join tenant_logs l using (tenant_id)
    where w.webhook_id = '${id}' and not w.deleted and (w.position < l.size or exists (
      select from log_outbox o where o.tenant_id = w.tenant_id))`
  const rows = async () => [
    ...(await asReader(service.context.store, text)),
    ...(await asReader(service.context.store, passed)),
  ]
  await expect.poll(rows, { timeout: 20_000, interval: 20 }).toEqual([])
}

describe('a browser of somebody who decides', () => {
  it('is sent what waits, encrypted, with count and path and without parameters', async () => {
    const { subscription, received } = await watching(tenant.approver)
    const { body } = await tenant.submit({
      risk: 'high',
      summary: 'a secret summary',
      parameters: { card: '4711' },
    })
    const [message] = await received(1)
    expect(message?.notice).toEqual({
      title: 'read on crm waits for a decision',
      agent: 'agent-1',
      risk: 'high',
      application: tenant.id,
      waiting: 1,
      path: `/approve/${tenant.id}/${body.action_id}`,
      tag: expect.stringMatching(/^msg_/),
    })
    expect(message?.raw.includes('crm'), 'nobody on the way reads it').toBe(false)
    expect(message?.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{32}$/),
    })
    expect(Number(message?.headers.ttl)).toBeGreaterThan(0)
    if (!message) throw new Error('nothing came')
    const { application_server_key: serverKey } = await state(tenant.approver)
    const sender = await senderOf(message, String(serverKey))
    expect(sender).toMatchObject({ aud: new URL(subscription.endpoint).origin, sub: expect.any(String) })
  })

  it('is sent a thing once, and nothing that was decided before', async () => {
    const { received, pushed, id } = await watching(tenant.approver)
    push.answers(503)
    const first = await tenant.hold()
    await received(1)
    await tenant.reject(first)
    await nothingLeft(id)
    push.answers(201)
    const second = await tenant.hold()
    await expect.poll(() => pushed().at(-1)?.notice.path, { timeout: 20_000 }).toContain(second)
    await nothingLeft(id)
    expect(pushed().filter(({ notice }) => notice.path.includes(second))).toHaveLength(1)
  })

  it('is recalled once for each reminder, as long as its person has not approved', async () => {
    const two = await routedTenant(service, 2)
    const [ada, bob] = [await two.person('ada'), await two.person('bob')]
    const reminding = { remind_after_ms: [1_000, 1_000] }
    const [first, second] = [await watching(ada.key, reminding), await watching(bob.key, reminding)]
    expect((await state(ada.key)).subscriptions).toMatchObject([{ remind_after_ms: [1_000] }])
    const id = await two.hold()
    expect((await two.decide('approve', id, ada)).status).toBe(202)
    const [, reminder] = await second.received(2)
    expect(reminder?.notice).toMatchObject({
      title: 'read on crm still waits for a decision',
      path: `/approve/${two.id}/${id}`,
      tag: expect.stringMatching(/r1$/),
    })
    await nothingLeft(first.id)
    expect(first.pushed().filter(({ notice }) => notice.title.includes('still'))).toEqual([])
    await nothingLeft(second.id)
    expect(second.pushed()).toHaveLength(2)
  })

  it('hears of a hold when its group may help, and so does a webhook of escalations', async () => {
    const [ada, dee] = [await tenant.person('ada'), await tenant.person('dee')]
    await tenant.putGroup('leads', [ada])
    await tenant.putGroup('duty', [dee])
    await tenant.putRoute({
      required: [{ group: 'leads', approvals: 1 }],
      escalate: { after_ms: 1_000, group: 'duty' },
    })
    const receiver = await startReceiver()
    await makeWebhook(service, tenant.id, { url: receiver.url, event_types: ['action.escalated'] })
    const [lead, duty] = [await watching(ada.key), await watching(dee.key)]
    const id = await tenant.hold()
    const title = 'read on crm still waits, and another group may approve as well'
    const [, again] = await lead.received(2)
    expect(again?.notice.title).toBe(title)
    const [message] = await receiver.received(1)
    expect(message?.body).toMatchObject({
      type: 'action.escalated',
      data: { action_id: id, status: 'pending_approval' },
    })
    await duty.received(1)
    await nothingLeft(duty.id)
    const path = `/approve/${tenant.id}/${id}`
    expect(duty.pushed().map(({ notice }) => notice)).toMatchObject([{ title, path }])
    await receiver.close()
  })

  it('is one person’s: another who subscribes it takes it over', async () => {
    const bob = await tenant.person('bob')
    const { subscription, received, pushed } = await watching(tenant.approver)
    expect((await subscribe(bob.key, subscription)).status).toBe(200)
    expect(await ids(tenant.approver)).toEqual([])
    const [id = ''] = await ids(bob.key)
    await tenant.hold()
    await received(1)
    await nothingLeft(id)
    expect(pushed()).toHaveLength(1)
  })

  it('is known by its endpoint, and the sixth takes the place of the oldest', async () => {
    const first = await watching(tenant.approver)
    const again = await subscribe(tenant.approver, first.subscription)
    expect(again.body.subscription.subscription_id).toBe(first.id)
    const others: string[] = []
    for (let made = 0; made < 5; made += 1) others.push((await watching(tenant.approver)).id)
    expect(await ids(tenant.approver)).toEqual(others)
  })
})

describe('nothing is sent', () => {
  it('after the person ended it, and nobody else can end it', async () => {
    const bob = await tenant.person('bob')
    const { id, pushed } = await watching(tenant.approver)
    const foreign = await service.call<Problem>('DELETE', `${path}/${id}`, { key: bob.key })
    expect(foreign).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } })
    expect((await service.call('DELETE', `${path}/${id}`, { key: tenant.approver })).status).toBe(200)
    const other = await watching(bob.key)
    await tenant.hold()
    await other.received(1)
    expect(pushed()).toEqual([])
  })

  it.each([404, 410])('after the push service answered %i: the subscription is over', async status => {
    const { id, received, pushed } = await watching(tenant.approver)
    push.answers(status)
    await tenant.hold()
    await received(1)
    await expect.poll(() => ids(tenant.approver), { timeout: 20_000 }).toEqual([])
    push.answers(201)
    const other = await watching(tenant.approver)
    await tenant.hold()
    await other.received(1)
    await nothingLeft(id)
    expect(pushed()).toHaveLength(1)
  })

  it('with a key that was revoked', async () => {
    const bob = await tenant.person('bob')
    const { pushed, id } = await watching(bob.key)
    const revoke = `/v1/tenants/${tenant.id}/api-keys/${bob.key_id}/revoke`
    expect((await service.call('POST', revoke, { admin: service.admin, json: {} })).status).toBe(200)
    const other = await watching(tenant.approver)
    await tenant.hold()
    await other.received(1)
    await nothingLeft(id)
    expect(pushed()).toEqual([])
  })

  it('to who is not on the route of the action', async () => {
    const [ada, eve] = [await tenant.person('ada'), await tenant.person('eve')]
    await tenant.putGroup('leads', [ada])
    await tenant.putRoute({ required: [{ group: 'leads', approvals: 1 }] })
    const [lead, outside] = [await watching(ada.key), await watching(eve.key)]
    await tenant.hold()
    await lead.received(1)
    await nothingLeft(outside.id)
    expect(outside.pushed()).toEqual([])
  })
})

it('a member is sent what waits as long as the role allows deciding', async () => {
  const owner = await signUp(service.call)
  const roles = [{ tenant_id: owner.tenant_id, role: 'approver' as const }]
  const member = await join(service.call, owner, { roles })
  const browser = push.browser()
  const own = owner.path('/push-subscriptions')
  const made = await member.browser.call<Subscribed>('POST', own, { json: browser.subscription })
  expect(made.status).toBe(200)
  const watch = push.browser()
  await owner.browser.call('POST', own, { json: watch.subscription })
  const hold = (proposal_id: string) =>
    service.call('POST', '/v1/actions', {
      key: owner.agent,
      json: proposal({ proposal_id, system: 'helpdesk', operation: 'add_note', risk: 'high' }),
    })
  await hold('before')
  const [message] = await browser.received(1)
  expect(message?.notice.application).toBe(owner.signed_up.tenant.name)
  const auditor = { owner: false, roles: [{ tenant_id: owner.tenant_id, role: 'auditor' }] }
  await owner.browser.call('PUT', `/v1/accounts/members/${member.account_id}`, { json: auditor })
  await watch.received(1)
  await hold('after')
  await watch.received(2)
  const ended = `select from webhooks where webhook_id = '${made.body.subscription.subscription_id}' and not deleted`
  await expect.poll(() => asReader(service.context.store, ended), { timeout: 20_000 }).toEqual([])
  await nothingLeft(made.body.subscription.subscription_id)
  expect(browser.pushed()).toHaveLength(1)
})

const examplePoint = pushSubscriptionRequest.keys.p256dh

describe('what a browser says', () => {
  const good = () => push.browser().subscription

  it.each([
    ['a private address', { endpoint: 'https://10.0.0.1/send' }],
    ['the metadata of a cloud', { endpoint: 'https://169.254.169.254/latest' }],
    ['no encryption on the way', { endpoint: 'http://push.example.org/send' }],
    ['credentials', { endpoint: 'https://user:pass@push.example.org/send' }],
    ['another scheme', { endpoint: 'file:///etc/passwd' }],
    ['no URL', { endpoint: 'https://[' }],
    ['a point that is not on the curve', { keys: { p256dh: 'B'.padEnd(87, 'A'), auth: 'A'.repeat(22) } }],
    ['a secret that is too short', { keys: { p256dh: examplePoint, auth: 'A'.repeat(21) } }],
    ['a reminder below a second', { remind_after_ms: [999] }],
    ['a member that nobody knows', { expirationTime: null }],
  ])('is refused with %s', async (_, crafted) => {
    const { status, body } = await subscribe(tenant.approver, { ...good(), ...crafted })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
    expect(await ids(tenant.approver)).toEqual([])
    expect(push.seen()).toBe(0)
  })

  it('is a secret: no answer, list or column shows the endpoint or its keys', async () => {
    const { subscription } = await watching(tenant.approver)
    const webhooks = `/v1/tenants/${tenant.id}/webhooks`
    const { body: ofAdmin } = await service.call('GET', webhooks, { admin: service.admin })
    expect(ofAdmin).toEqual({ webhooks: [] })
    const listed = JSON.stringify(await state(tenant.approver))
    const stored = await asReader<{ row: string }>(
      service.context.store,
      `select to_jsonb(w) || jsonb_build_object('clear', encode(sealed_url, 'escape')) as row from webhooks w
       where tenant_id = '${tenant.id}'`,
    )
    const secrets = [new URL(subscription.endpoint).pathname, ...Object.values(subscription.keys)]
    for (const secret of secrets) expect(listed + JSON.stringify(stored)).not.toContain(secret)
  })
})

it('without the key of webhooks there is nothing to subscribe with', async () => {
  const bare = await startService({ platform: true, worker: null })
  try {
    const { approver } = await bare.tenant()
    const read = await bare.call<PushState>('GET', path, { key: approver })
    expect(read.body.application_server_key).toBeNull()
    const json = push.browser().subscription
    const refused = await bare.call<Problem>('POST', path, { key: approver, json })
    expect(refused).toMatchObject({ status: 409, body: { code: 'webhooks_not_configured' } })
  } finally {
    await bare.close()
  }
})
