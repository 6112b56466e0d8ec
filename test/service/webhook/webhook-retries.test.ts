import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Webhook } from '../../../shared/contract/webhook.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { everyType } from '../../support/fixtures/webhook-receiver.ts'
import { patient, webhookBed } from '../../support/service/webhook-bed.ts'

const bed = webhookBed()
const { receiver, hook, allLogged } = bed

describe('what is not answered with success', () => {
  it('is sent again under the same id, until it is', async () => {
    const answers = [500, 302, 200]
    const { url, received } = await receiver(response =>
      response.writeHead(answers.shift() ?? 500, { location: 'http://169.254.169.254/' }).end(),
    )
    const made = await hook(url)
    await bed.tenant.submit({})
    const messages = await received(3)
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1)
    expect(await made.all('delivered', 1)).toMatchObject([
      { attempts: 3, last_status: 200, next_attempt_at: null },
    ])
    expect(await made.read()).toMatchObject({ enabled: true, failing_since: null })
    const lines = bed.service
      .logged()
      .split('\n')
      .filter(line => line.includes(made.path.split('/').at(-1) ?? ''))
    const told = lines.filter(line => line.includes('"message not delivered"')).map(line => JSON.parse(line))
    expect(told).toMatchObject(
      [500, 302].map(status => ({ tenant_id: bed.tenant.id, outcome: 'retry', status })),
    )
  })

  it('has failed after the last attempt, and is sent again when an admin says so', async () => {
    let status = 500
    const { url, received } = await receiver(response => response.writeHead(status).end())
    const made = await hook(url)
    await bed.tenant.submit({})
    const [failed] = await made.all('failed', 1)
    expect(failed).toMatchObject({ attempts: 4, last_status: 500, next_attempt_at: null })
    status = 202
    const path = `${made.path}/deliveries/${failed?.delivery_id}/redeliver`
    expect((await bed.service.call('POST', path, { admin: bed.service.admin })).status).toBe(200)
    expect(await made.all('delivered', 1)).toMatchObject([{ attempts: 1 }])
    const messages = await received(5)
    expect(new Set(messages.map(({ id }) => id))).toEqual(new Set([failed?.delivery_id]))
    const unknown = `${made.path}/deliveries/${failed?.delivery_id}9/redeliver`
    const refused = await bed.service.call<Problem>('POST', unknown, { admin: bed.service.admin })
    expect(refused.body.code).toBe('delivery_not_found')
  })

  it('waits as long as a busy endpoint asks', async () => {
    const { url } = await receiver(response => response.writeHead(503, { 'retry-after': '3600' }).end())
    const made = await hook(url)
    await bed.tenant.submit({})
    await expect.poll(async () => (await made.deliveries())[0]?.last_status, patient).toBe(503)
    const [delivery] = await made.deliveries()
    const waitMs = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.last_attempt_at ?? '')
    expect(Math.round(waitMs / 60_000)).toBe(60)
  })

  it('disables an endpoint that is gone, and an enabled one goes on from there', async () => {
    let status = 410
    const { url, received, messages } = await receiver(response => response.writeHead(status).end())
    const made = await hook(url)
    await bed.tenant.submit({})
    await expect.poll(made.read, patient).toMatchObject({ enabled: false, disabled_reason: 'gone' })
    const [delivery] = await made.all('failed', 1)
    const again = await bed.service.call<Problem>(
      'POST',
      `${made.path}/deliveries/${delivery?.delivery_id}/redeliver`,
      {
        admin: bed.service.admin,
      },
    )
    expect(again.body.code).toBe('webhook_disabled')
    const { body: unheard } = await bed.tenant.submit({})
    await allLogged(unheard.action_id)
    status = 200
    const json = { url, event_types: everyType }
    const { body } = await bed.service.call<{ webhook: Webhook }>('PUT', made.path, {
      admin: bed.service.admin,
      json,
    })
    expect(body.webhook).toMatchObject({ enabled: true, disabled_reason: null })
    const { body: next } = await bed.tenant.submit({})
    await received(2)
    const told = messages().map(message => message.body.data.action_id)
    expect(told).toContain(next.action_id)
    expect(told).not.toContain(unheard.action_id)
    const kinds = await asReader<{ payload: string }>(
      bed.service.context.store,
      `select convert_from(payload, 'UTF8') as payload from config_payloads p join config_events e using (tenant_id, sequence)
       where tenant_id = '${bed.tenant.id}' and kind = 'webhook_revision' order by sequence`,
    )
    expect(kinds.map(({ payload }) => JSON.parse(payload).change)).toEqual([
      'created',
      'disabled',
      'replaced',
    ])
  })

  it('says nothing of an endpoint that was given another URL meanwhile', async () => {
    const waiting: ServerResponse[] = []
    const old = await receiver(response => void waiting.push(response))
    const made = await hook(old.url)
    await bed.tenant.submit({})
    const [first] = await old.received(1)
    const next = await receiver()
    const json = { url: next.url, event_types: everyType }
    await bed.service.call('PUT', made.path, { admin: bed.service.admin, json })
    for (const response of waiting) response.writeHead(410).end()
    const [message] = await next.received(1)
    expect(message?.id).toBe(first?.id)
    expect(await made.all('delivered', 1)).toMatchObject([{ attempts: 2, last_status: 204 }])
    expect(await made.read()).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null })
  })

  it('disables an endpoint that fails for long', async () => {
    const { url } = await receiver(response => response.writeHead(500).end())
    const made = await hook(url)
    await bed.tenant.submit({})
    await made.all('failed', 1)
    expect(await made.read()).toMatchObject({ enabled: true, failing_since: expect.any(String) })
    await asWriter(
      bed.service.context.store,
      `update webhooks set failing_since = failing_since - interval '5 days' where webhook_id = '${made.webhook.webhook_id}'`,
    )
    await bed.tenant.submit({})
    await expect.poll(made.read, patient).toMatchObject({ enabled: false, disabled_reason: 'failing' })
    expect(bed.service.logged()).toContain('webhook disabled')
  })

  it('of one endpoint delays no other', async () => {
    const slow = await receiver(() => undefined)
    const quick = await receiver()
    await hook(slow.url)
    const made = await hook(quick.url)
    await Promise.all(Array.from({ length: 30 }, () => bed.tenant.submit({})))
    await quick.received(30)
    await made.all('delivered', 30)
    expect(slow.seen).toHaveLength(4)
  })
})
