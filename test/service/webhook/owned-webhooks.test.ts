import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Webhook, WebhookDelivery } from '../../../shared/contract/webhook.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startReceiver, webhookEnvironment } from '../../support/fixtures/webhook-receiver.ts'
import { join, type TestMember } from '../../support/service/member.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal } from '../../support/service/tenant.ts'

/** What owners do with the notices of their applications; the rest is the same as for an admin. */
let service: TestService
let owner: TestOwner
let other: TestOwner
let auditor: TestMember

beforeAll(async () => {
  service = await startService({
    platform: true,
    env: { ...webhookEnvironment, SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '1000' },
  })
  ;[owner, other] = await Promise.all([signUp(service.call), signUp(service.call)])
  auditor = await join(service.call, owner, { roles: [{ tenant_id: owner.tenant_id, role: 'auditor' }] })
})
afterAll(() => service.close())

type Made = { webhook: Webhook; secret: string } & Problem
type Listed = { webhooks: Webhook[] } & Problem
type Sent = { deliveries: WebhookDelivery[] }

function make({ browser, path }: TestOwner, change: object = {}) {
  const json = { url: 'https://hooks.example.org/', event_types: ['action.pending_approval'], ...change }
  return browser.call<Made>('POST', path('/webhooks'), { json })
}

async function list({ browser, path }: TestOwner): Promise<string[]> {
  const { body } = await browser.call<Listed>('GET', path('/webhooks'))
  return body.webhooks.map(({ webhook_id }) => webhook_id)
}

async function hold(): Promise<string> {
  const json = proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high' })
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json,
  })
  return body.action_id
}

describe('an owner', () => {
  it('is sent what happens, sees what became of it, and sends it again', async () => {
    let status = 410
    const receiver = await startReceiver(response => response.writeHead(status).end())
    const { body: made } = await make(owner, { url: receiver.url })
    const own = owner.path(`/webhooks/${made.webhook.webhook_id}`)
    const action_id = await hold()
    await receiver.received(1)
    const sent = async () => (await owner.browser.call<Sent>('GET', `${own}/deliveries`)).body.deliveries
    await expect.poll(async () => (await sent())[0]?.state, { timeout: 20_000 }).toBe('failed')
    const [message] = await sent()
    expect(message).toMatchObject({ action_id, type: 'action.pending_approval', last_status: 410 })
    const ended = async () =>
      (await owner.browser.call<Listed>('GET', owner.path('/webhooks'))).body.webhooks[0]?.disabled_reason
    await expect.poll(ended, { timeout: 20_000 }).toBe('gone')
    const again = `${own}/deliveries/${message?.delivery_id}/redeliver`
    expect((await owner.browser.call<Problem>('POST', again)).body.code).toBe('webhook_disabled')
    status = 204
    const json = { url: receiver.url, event_types: ['action.settled'], enabled: true }
    const replaced = await owner.browser.call<Made>('PUT', own, { json })
    expect(replaced.body.webhook).toMatchObject({ event_types: ['action.settled'], disabled_reason: null })
    expect((await owner.browser.call('POST', again)).status).toBe(200)
    await expect.poll(async () => (await sent())[0]?.state, { timeout: 20_000 }).toBe('delivered')
    expect(receiver.messages().map(({ id }) => id)).toEqual([message?.delivery_id, message?.delivery_id])
    expect((await owner.browser.call('DELETE', own)).status).toBe(200)
    expect(await list(owner)).toEqual([])
    await receiver.close()
  })

  it('is named in the events of what they set', async () => {
    const { body } = await make(owner)
    const own = owner.path(`/webhooks/${body.webhook.webhook_id}`)
    await owner.browser.call('DELETE', own)
    const events = await asReader<{ change: string; principal: object }>(
      service.context.store,
      `select p.payload ->> 'change' as change, convert_from(e.event, 'UTF8')::jsonb -> 'principal' as principal
       from config_events e join (
         select tenant_id, sequence, convert_from(payload, 'UTF8')::jsonb as payload from config_payloads
       ) p using (tenant_id, sequence)
       where tenant_id = '${owner.tenant_id}' and p.payload ->> 'webhook_id' = '${body.webhook.webhook_id}'
       order by sequence`,
    )
    const principal = { kind: 'owner', id: owner.account_id }
    expect(events).toEqual(['created', 'deleted'].map(change => ({ change, principal })))
  })

  it('is refused private addresses and what is not set up, as an admin is', async () => {
    const refused = async (change: object) => (await make(owner, change)).body
    expect(await refused({ url: 'https://10.0.0.1/' })).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: 'url' }],
    })
    expect(await refused({ url: 'http://hooks.example.org/' })).toMatchObject({ code: 'validation_failed' })
    const chat = { url: 'https://hooks.slack.example/services/T0/B0/x', format: 'slack' }
    expect((await refused(chat)).code).toBe('links_not_configured')
    const mail = { url: 'mailto:lead@example.org', format: 'email' }
    expect((await refused(mail)).code).toBe('mail_not_configured')
    expect(await list(owner)).toEqual([])
  })
})

describe('a wall', () => {
  it('keeps the notices of one organization from another, by path and by id', async () => {
    const { body } = await make(owner)
    const { webhook_id } = body.webhook
    const json = { url: 'https://elsewhere.example.org/', event_types: ['action.settled'] }
    const asked = [
      ['GET', '/webhooks', 'tenant_not_found'],
      ['POST', '/webhooks', 'tenant_not_found'],
      ['PUT', `/webhooks/${webhook_id}`, 'tenant_not_found'],
      ['DELETE', `/webhooks/${webhook_id}`, 'tenant_not_found'],
      ['GET', `/webhooks/${webhook_id}/deliveries`, 'tenant_not_found'],
    ] as const
    for (const [method, rest, code] of asked) {
      const body = method === 'GET' || method === 'DELETE' ? {} : { json }
      const answer = await other.browser.call<Problem>(method, owner.path(rest), body)
      expect([method, rest, answer.body.code]).toEqual([method, rest, code])
      if (!rest.includes(webhook_id)) continue
      const own = await other.browser.call<Problem>(method, other.path(rest), body)
      expect([method, rest, own.body.code]).toEqual([method, rest, 'webhook_not_found'])
    }
    expect(await list(owner)).toEqual([webhook_id])
    await owner.browser.call('DELETE', owner.path(`/webhooks/${webhook_id}`))
  })

  it('lets an auditor read and change nothing, without a secret in what is read', async () => {
    const { body } = await make(owner)
    const read = await auditor.browser.call<Listed>('GET', owner.path('/webhooks'))
    expect(read.body.webhooks.map(({ webhook_id }) => webhook_id)).toEqual([body.webhook.webhook_id])
    expect(JSON.stringify(read.body)).not.toContain('whsec_')
    const own = owner.path(`/webhooks/${body.webhook.webhook_id}`)
    expect((await auditor.browser.call<Problem>('DELETE', own)).body.code).toBe('wrong_role')
    const withoutToken = { headers: { 'x-service-csrf': '' } }
    expect((await owner.browser.call('DELETE', own, withoutToken)).status).toBe(403)
    expect(await list(owner)).toEqual([body.webhook.webhook_id])
  })
})
