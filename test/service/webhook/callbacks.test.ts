import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { proposal } from '../../support/service/tenant.ts'
import { patient, webhookBed } from '../../support/service/webhook-bed.ts'

const bed = webhookBed()
const { receiver } = bed
const only = { event_types: ['action.callback'] }

/** An endpoint of the tenant that takes callbacks, at `/flows/`. */
async function flows(answer?: Parameters<typeof receiver>[0]) {
  const opened = await receiver(answer)
  const base = new URL('/flows/', opened.url).href
  return { ...opened, base, made: await bed.hook(base, only) }
}

const submit = (json: object) =>
  bed.service.call<Verdict & Problem>('POST', '/v1/actions', { key: bed.tenant.agent, json })

const withCallback = (callback: object, change: Parameters<typeof proposal>[0] = {}) => ({
  ...proposal(change),
  callback,
})

describe('a callback', () => {
  it('comes once when the action settles, signed, with the data as it came', async () => {
    const { base, received, messages, made, seen } = await flows()
    const everything = await receiver()
    await bed.hook(everything.url)
    const data = { workflow: 'refund-42', steps: [1, null, 'é'], deep: { ok: true } }
    const { body: held } = await submit(
      withCallback({ url: `${base}resume?run=42`, data }, { risk: 'medium' }),
    )
    await everything.received(1)
    expect(seen).toEqual([])
    await bed.tenant.approve(held.action_id)
    const [message] = await received(1)
    if (!message) throw new Error('nothing came')
    expect(seen[0]?.url).toBe('/flows/resume?run=42')
    expect(new Verifier(made.secret).verify(message.raw, message.headers as Record<string, string>)).toEqual({
      type: 'action.callback',
      timestamp: expect.any(String),
      data: {
        tenant_id: bed.tenant.id,
        action_id: held.action_id,
        status: 'executed',
        polling_url: `/v1/actions/${held.action_id}`,
        data,
      },
    })
    await everything.received(2)
    await made.all('delivered', 1)
    expect(messages()).toHaveLength(1)
    expect(everything.messages().map(({ body }) => body.type)).not.toContain('action.callback')
  })

  it('waits while nobody knows the outcome, and comes when somebody found out', async () => {
    const { base, received, made } = await flows()
    const { body: lost } = await submit(withCallback({ url: base }, { system: 'lost' }))
    await bed.tenant.settled(lost.action_id)
    await bed.allLogged(lost.action_id)
    const { body: denied } = await submit(withCallback({ url: base, data: null }, { system: 'elsewhere' }))
    expect((await received(1))[0]?.body.data).toMatchObject({ action_id: denied.action_id, data: null })
    await bed.service.call('POST', `/v1/tenants/${bed.tenant.id}/actions/${lost.action_id}/resolve`, {
      admin: bed.service.admin,
      json: { outcome: 'executed', note: 'seen', evidence: 'ticket 1', detail: {} },
    })
    const told = (await received(2))[1]?.body.data
    expect(told).toMatchObject({ action_id: lost.action_id, status: 'executed' })
    expect(told).not.toHaveProperty('data')
    await made.all('delivered', 2)
  })

  it('goes through the retries of every message, and a 410 ends it alone', async () => {
    const answers = [500, 410, 200]
    const { base, received, made } = await flows(response => response.writeHead(answers.shift() ?? 200).end())
    await submit(withCallback({ url: `${base}first` }))
    const messages = await received(2)
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1)
    await made.all('failed', 1)
    expect(await made.read()).toMatchObject({ enabled: true, disabled_reason: null })
    await submit(withCallback({ url: `${base}second` }))
    await received(3)
    await expect
      .poll(async () => (await made.deliveries()).map(({ state }) => state), patient)
      .toEqual(['delivered', 'failed'])
  })

  it('is not sent to a place that the endpoint left meanwhile', async () => {
    const { base, seen, made } = await flows(response => response.writeHead(500).end())
    const { body } = await submit(withCallback({ url: base }, { risk: 'medium' }))
    const elsewhere = await receiver()
    const json = { url: new URL('/', elsewhere.url).href, ...only }
    const moved = await bed.service.call('PUT', made.path, { admin: bed.service.admin, json })
    expect(moved.status).toBe(200)
    await bed.tenant.approve(body.action_id)
    await bed.allLogged(body.action_id)
    const { body: next } = await submit(withCallback({ url: `${json.url}next` }))
    expect((await elsewhere.received(1))[0]?.body.data.action_id).toBe(next.action_id)
    expect(seen).toEqual([])
  })

  it('is not sent once the content of the action was erased', async () => {
    const { base, received, made } = await flows(response =>
      response.writeHead(503, { 'retry-after': '3600' }).end(),
    )
    const { body } = await submit(withCallback({ url: base, data: 'private' }))
    await received(1)
    await bed.tenant.settled(body.action_id)
    const path = `/v1/tenants/${bed.tenant.id}/actions/${body.action_id}/erase`
    const erased = await bed.service.call('POST', path, {
      admin: bed.service.admin,
      json: { reason: 'asked for' },
    })
    expect(erased.status).toBe(200)
    await expect.poll(async () => (await made.deliveries())[0]?.last_status, patient).toBe(503)
    const [delivery] = await made.deliveries()
    const again = `${made.path}/deliveries/${delivery?.delivery_id}/redeliver`
    expect((await bed.service.call('POST', again, { admin: bed.service.admin })).status).toBe(200)
    const [failed] = await made.all('failed', 1)
    expect(failed?.last_error).toMatch(/erased/)
    expect(await received(1)).toHaveLength(1)
  })
})

describe('a callback is refused', () => {
  it('where no enabled endpoint takes its URL, and nothing is recorded', async () => {
    const { base, made } = await flows()
    await bed.hook(new URL('/plain/', base).href)
    const other = await bed.service.tenant()
    const outside = ['../other', '/plain/x', '//127.0.0.1:1/flows/'].map(path => new URL(path, base).href)
    for (const url of outside) await refused(withCallback({ url }), 'callback_not_allowed')
    const foreign = await bed.service.call<Problem>('POST', '/v1/actions', {
      key: other.agent,
      json: withCallback({ url: base }),
    })
    expect(foreign.body.errors).toMatchObject([{ code: 'callback_not_allowed' }])
    const json = { url: base, ...only, enabled: false }
    await bed.service.call('PUT', made.path, { admin: bed.service.admin, json })
    await refused(withCallback({ url: base }), 'callback_not_allowed')
    const listed = await bed.service.call<{ actions: unknown[] }>('GET', '/v1/actions', {
      key: bed.tenant.agent,
    })
    expect(listed.body.actions).toEqual([])
  })

  it('but a repeat of what was taken is answered as ever', async () => {
    const { base, made } = await flows()
    const json = withCallback({ url: base })
    const first = await submit(json)
    await bed.service.call('DELETE', made.path, { admin: bed.service.admin })
    const again = await submit(json)
    expect([again.status, again.body.action_id]).toEqual([200, first.body.action_id])
    const { proposal_id } = json
    const changed = await submit({ ...json, callback: { url: base, data: 1 } })
    expect([proposal_id, changed.status, changed.body.code]).toEqual([proposal_id, 409, 'proposal_conflict'])
  })

  it.each([
    ['with credentials', { url: 'https://user@workflows.example.org/' }, 'callback.url'],
    ['with a fragment', { url: 'https://workflows.example.org/#a' }, 'callback.url'],
    ['with dot segments', { url: 'https://workflows.example.org/flows/../x' }, 'callback.url'],
    ['with coded dot segments', { url: 'https://workflows.example.org/flows/%2e%2e/x' }, 'callback.url'],
    ['with a preset port', { url: 'https://workflows.example.org:443/' }, 'callback.url'],
    ['of another scheme', { url: 'ftp://workflows.example.org/' }, 'callback.url'],
    ['with more than 1,024 bytes', { url: 'https://a.example/', data: 'é'.repeat(512) }, 'callback.data'],
    ['with unknown members', { url: 'https://a.example/', secret: 'x' }, 'callback.secret'],
  ])('%s', async (_, callback, path) => {
    const { status, body } = await submit(withCallback(callback))
    expect([status, body.code]).toEqual([400, 'validation_failed'])
    expect(body.errors?.map(({ path: at }) => at)).toContain(path)
  })
})

describe('an endpoint of callbacks', () => {
  it.each([
    ['takes no other message', { event_types: ['action.callback', 'action.settled'] }, 'event_types'],
    ['ends with a slash', { url: 'https://workflows.example.org/flows' }, 'url'],
    ['is written as it is called', { url: 'https://workflows.example.org/a/../' }, 'url'],
  ])('%s', async (_, change, path) => {
    const json = { url: 'https://workflows.example.org/', ...only, ...change }
    const { status, body } = await make(json)
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ path }])
  })

  it('overlaps with no other one, so that a message is one', async () => {
    const { base, made } = await flows()
    for (const url of [base, `${base}deeper/`, new URL('/', base).href]) {
      const { status, body } = await make({ url, ...only })
      expect([status, body.errors?.[0]?.code]).toEqual([400, 'url_overlaps'])
    }
    const beside = new URL('/beside/', base).href
    const second = await make({ url: beside, ...only })
    expect(second.status).toBe(201)
    const json = { url: beside, ...only }
    const moved = await bed.service.call<Problem>('PUT', made.path, { admin: bed.service.admin, json })
    expect(moved.body.errors).toMatchObject([{ code: 'url_overlaps' }])
    const same = { url: base, ...only }
    expect((await bed.service.call('PUT', made.path, { admin: bed.service.admin, json: same })).status).toBe(
      200,
    )
  })
})

const make = (json: object) =>
  bed.service.call<Problem>('POST', `/v1/tenants/${bed.tenant.id}/webhooks`, {
    admin: bed.service.admin,
    json,
  })

async function refused(json: object, code: string): Promise<void> {
  const { status, body } = await submit(json)
  expect([status, body.code, body.errors?.[0]?.code]).toEqual([400, 'validation_failed', code])
}
