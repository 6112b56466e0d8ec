import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Webhook, WebhookDelivery } from '../../../shared/contract/webhook.ts'
import type { FailpointName } from '../../../shared/runtime/failpoint.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { everyType, makeWebhook, webhookEnvironment } from '../../support/fixtures/webhook-receiver.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal } from '../../support/service/tenant.ts'
import { patient, webhookBed } from '../../support/service/webhook-bed.ts'
import { short } from '../../support/short.ts'

interface Page {
  deliveries: WebhookDelivery[]
  next_cursor: string | null
}

const bed = webhookBed()
const { receiver, hook, allLogged } = bed

/** An endpoint made after an action came to its end. */
async function hookAfterOne() {
  const { url, received, messages } = await receiver()
  const { body: before } = await bed.tenant.submit({})
  await allLogged(before.action_id)
  return { made: await hook(url), received, messages }
}

/** A call to a service that fails at this step: nothing of it stays. */
async function losing(step: FailpointName, call: (failing: TestService) => Promise<{ status: number }>) {
  const failing = await startService({
    database: bed.service.database,
    platform: true,
    worker: null,
    env: { ...webhookEnvironment, SERVICE_FAILPOINT: `${step}:throw` },
  })
  const { status } = await call(failing)
  await failing.close()
  expect(status).toBe(500)
}

describe('what is sent', () => {
  it('says once what happened to an action, and nothing of what it asks for', async () => {
    const { url, received, messages } = await receiver()
    const made = await hook(url)
    const { body: held } = await bed.tenant.submit({ risk: 'medium', summary: 'a secret summary' })
    await received(1)
    await bed.tenant.approve(held.action_id)
    const executed = await bed.tenant.submit({})
    const denied = await bed.tenant.submit({ system: 'elsewhere' })
    const failed = await bed.tenant.submit({ system: 'broken' })
    const unknown = await bed.tenant.submit({ system: 'lost' })
    await received(6)
    const deliveries = await made.all('delivered', 6)
    const told = messages().map(({ body }) => [body.type, body.data.action_id, body.data.status])
    expect(told.sort()).toEqual(
      [
        ['action.pending_approval', held.action_id, 'pending_approval'],
        ['action.settled', held.action_id, 'executed'],
        ['action.settled', executed.body.action_id, 'executed'],
        ['action.settled', denied.body.action_id, 'denied'],
        ['action.settled', failed.body.action_id, 'execution_failed'],
        ['action.outcome_unknown', unknown.body.action_id, 'outcome_unknown'],
      ].sort(),
    )
    expect(messages()[0]?.body).toEqual({
      type: 'action.pending_approval',
      timestamp: (await bed.tenant.trace(held.action_id)).events[1]?.at,
      data: {
        tenant_id: bed.tenant.id,
        action_id: held.action_id,
        status: 'pending_approval',
        polling_url: `/v1/actions/${held.action_id}`,
        review_url: `/approve/${bed.tenant.id}/${held.action_id}`,
      },
    })
    expect(new Set(messages().map(({ id }) => id))).toEqual(new Set(deliveries.map(one => one.delivery_id)))
    expect(JSON.stringify(messages())).not.toContain('secret summary')
  })

  it('tells of a rejection, and of an unknown outcome that is settled', async () => {
    const { url, received } = await receiver()
    await hook(url, { event_types: ['action.settled'] })
    const { body: held } = await bed.tenant.submit({ risk: 'medium' })
    await bed.tenant.reject(held.action_id)
    const { body: lost } = await bed.tenant.submit({ system: 'lost' })
    await bed.tenant.settled(lost.action_id)
    const json = { outcome: 'executed', note: 'seen', evidence: 'ticket 1', detail: {} }
    await bed.service.call('POST', `/v1/tenants/${bed.tenant.id}/actions/${lost.action_id}/resolve`, {
      admin: bed.service.admin,
      json,
    })
    const told = (await received(2)).map(({ body }) => [body.data.action_id, body.data.status])
    expect(told).toEqual([
      [held.action_id, 'denied'],
      [lost.action_id, 'executed'],
    ])
  })

  it('is signed as the specification says', async () => {
    const { url, received } = await receiver()
    const { secret } = await hook(url)
    await bed.tenant.submit({})
    const [first] = await received(1)
    if (!first) throw new Error('nothing came')
    const headers = first.headers as Record<string, string>
    expect(new Verifier(secret).verify(first.raw, headers)).toEqual(first.body)
    expect(() => new Verifier(secret).verify(first.raw.replace('settled', 'Settled'), headers)).toThrow()
    expect(() => new Verifier(`whsec_${'A'.repeat(43)}=`).verify(first.raw, headers)).toThrow()
    expect(headers['content-type']).toBe('application/json')
  })

  it('is nothing for an action that was rolled back, nor about what happened before', async () => {
    const { made, received, messages } = await hookAfterOne()
    const json = proposal({ proposal_id: 'twice' })
    await losing('submit_written', failing =>
      failing.call('POST', '/v1/actions', { key: bed.tenant.agent, json }),
    )
    const { body } = await bed.tenant.submit({ proposal_id: 'twice' })
    await received(1)
    await made.all('delivered', 1)
    expect(messages().map(message => message.body.data.action_id)).toEqual([body.action_id])
  })

  it('is nothing for a decision that was rolled back, nor about what happened before', async () => {
    const { made, received, messages } = await hookAfterOne()
    const { body } = await bed.tenant.submit({ risk: 'medium' })
    await losing('change_written', failing =>
      failing.call('POST', `/v1/actions/${body.action_id}/approve`, { key: bed.tenant.approver, json: {} }),
    )
    await bed.tenant.reject(body.action_id)
    await received(2)
    await made.all('delivered', 2)
    const told = messages().map(({ body: { data } }) => [data.action_id, data.status])
    expect(told).toEqual(['pending_approval', 'denied'].map(status => [body.action_id, status]))
  })

  it('goes to the endpoints of its tenant alone, each with what it asked for', async () => {
    const [ours, approvals, theirs] = [await receiver(), await receiver(), await receiver()]
    const other = await bed.service.tenant()
    await hook(ours.url)
    await hook(approvals.url, { event_types: ['action.pending_approval'] })
    const foreign = await makeWebhook(bed.service, other.id, { url: theirs.url, event_types: everyType })
    const { body } = await bed.tenant.submit({ risk: 'medium' })
    await bed.tenant.approve(body.action_id)
    await ours.received(2)
    await other.submit({})
    expect((await theirs.received(1)).map(message => message.body.data.tenant_id)).toEqual([other.id])
    expect(approvals.messages()).toHaveLength(1)
    const elsewhere = `/v1/tenants/${bed.tenant.id}/webhooks/${foreign.webhook.webhook_id}`
    for (const [method, path] of [
      ['GET', elsewhere],
      ['DELETE', elsewhere],
      ['GET', `${elsewhere}/deliveries`],
    ] as const)
      expect((await bed.service.call(method, path, { admin: bed.service.admin })).status).toBe(404)
  })
})

describe('a secret that is replaced', () => {
  it('signs beside its successor for a while, and then no more', async () => {
    const { url, received } = await receiver()
    const { secret: first, path } = await hook(url)
    const rotate = async (overlap_ms: number) =>
      (
        await bed.service.call<{ secret: string }>('POST', `${path}/rotate`, {
          admin: bed.service.admin,
          json: { overlap_ms },
        })
      ).body.secret
    const verifies = (secret: string, message: Awaited<ReturnType<typeof received>>[number] | undefined) => {
      try {
        new Verifier(secret).verify(message?.raw ?? '', message?.headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    }
    const second = await rotate(60_000)
    await bed.tenant.submit({})
    const [both] = await received(1)
    expect([first, second].map(secret => verifies(secret, both))).toEqual([true, true])
    const third = await rotate(0)
    await bed.tenant.submit({})
    const alone = (await received(2))[1]
    expect([first, second, third].map(secret => verifies(secret, alone))).toEqual([false, false, true])
    expect(new Set([first, second, third]).size).toBe(3)
  })
})

describe('an endpoint that may not be called', () => {
  it.each(
    [
      'http://example.org/hook',
      'http://169.254.169.254/latest/meta-data',
      'https://169.254.169.254/',
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://user:pass@example.org/',
      'https://example.org/#part',
      'ftp://example.org/',
      'nothing',
      `https://example.org/${'x'.repeat(2_000)}`,
    ].map(url => [short(url), url]),
  )('%s is refused at once', async (_, url) => {
    const path = `/v1/tenants/${bed.tenant.id}/webhooks`
    const json = { url, event_types: everyType }
    const { body } = await bed.service.call<Problem>('POST', path, { admin: bed.service.admin, json })
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: 'url' }] })
  })

  it('is refused when its name turns out to be private', async () => {
    const made = await hook('https://localhost:4711/')
    await bed.tenant.submit({})
    const [delivery] = await made.all('failed', 1)
    expect(delivery?.last_error).toMatch(/^egress_refused: localhost is at .*, which may not be called$/)
  })
})

describe('webhooks of a tenant', () => {
  it('are listed, and forgotten with their deliveries when they are deleted', async () => {
    const { url, received } = await receiver()
    const made = await hook(url, { description: 'bot' })
    const list = () =>
      bed.service.call<{ webhooks: Webhook[] }>('GET', `/v1/tenants/${bed.tenant.id}/webhooks`, {
        admin: bed.service.admin,
      })
    await bed.tenant.submit({})
    await received(1)
    expect((await list()).body.webhooks).toEqual([made.webhook])
    expect((await bed.service.call('DELETE', made.path, { admin: bed.service.admin })).status).toBe(200)
    expect((await list()).body.webhooks).toEqual([])
    expect((await bed.service.call('GET', made.path, { admin: bed.service.admin })).status).toBe(404)
    const left = `select webhook_id from webhook_deliveries where webhook_id = '${made.webhook.webhook_id}'
      union all select webhook_id from webhooks where webhook_id = '${made.webhook.webhook_id}'`
    await expect.poll(() => asReader(bed.service.context.store, left), patient).toEqual([])
  })

  it('are ten at most', async () => {
    for (let made = 0; made < 10; made += 1) await hook('https://example.org/')
    const json = { url: 'https://example.org/', event_types: everyType }
    const path = `/v1/tenants/${bed.tenant.id}/webhooks`
    const { body } = await bed.service.call<Problem>('POST', path, { admin: bed.service.admin, json })
    expect(body.code).toBe('too_many_webhooks')
  })

  it('show their deliveries page by page, newest first', async () => {
    const { url } = await receiver()
    const made = await hook(url)
    for (let sent = 0; sent < 5; sent += 1) await bed.tenant.submit({})
    const all = await made.all('delivered', 5)
    const page = async (query: string) => {
      const path = `${made.path}/deliveries?limit=2${query}`
      return (await bed.service.call<Page>('GET', path, { admin: bed.service.admin })).body
    }
    const first = await page('')
    const second = await page(`&cursor=${first.next_cursor}`)
    const third = await page(`&cursor=${second.next_cursor}`)
    const pages = [first, second, third].map(({ deliveries }) => deliveries)
    expect(third.next_cursor).toBe(null)
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(all)
  })

  it('forget messages of long ago', async () => {
    const { url } = await receiver()
    const made = await hook(url)
    await bed.tenant.submit({})
    await made.all('delivered', 1)
    await asWriter(
      bed.service.context.store,
      `update webhook_deliveries set created_at = created_at - interval '31 days' where webhook_id = '${made.webhook.webhook_id}'`,
    )
    await expect.poll(made.deliveries, patient).toEqual([])
  })
})
