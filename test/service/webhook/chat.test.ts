import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hex, sha256 } from '../../../shared/canon/digest.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { Webhook } from '../../../shared/contract/webhook.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { makeWebhook, webhookEnvironment } from '../../support/fixtures/webhook-receiver.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import type { ProposalChange, TestTenant } from '../../support/service/tenant.ts'
import { holdPayment, patient, paymentPolicy } from '../../support/service/webhook-bed.ts'

const base = 'https://gate.example.org'
const path = '/services/T024F/B0HQ7/s3cretTail?sig=s3cretSig'
const pending = ['action.pending_approval']
const formats = ['slack', 'teams'] as const
let service: TestService
let tenant: TestTenant
let chat: Downstream
let answers: { status: number; retryAfter?: string }[]

beforeAll(async () => {
  service = await startService({ env: { ...webhookEnvironment, SERVICE_BASE_URL: base } })
})
afterAll(() => service.close())
beforeEach(async () => {
  answers = []
  chat = await startDownstream((_, response) => {
    const { status, retryAfter } = answers.shift() ?? { status: 200 }
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('ok')
  })
  tenant = await service.tenant({ policy: paymentPolicy })
})
afterEach(() => chat.close())

const told = (format: string, change: object = {}) =>
  makeWebhook(service, tenant.id, { url: `${chat.url}${path}`, format, event_types: pending, ...change })

const hold = (change: ProposalChange = {}) => holdPayment(tenant, change)

const posted = async (count = 1) => {
  await expect.poll(() => chat.seen.length, patient).toBeGreaterThanOrEqual(count)
  return chat.seen.map(({ url, headers, body }) => ({ url, headers, body, json: JSON.parse(body) }))
}

describe('a message to Slack about a held action', () => {
  it('leads to its page, and says no value but amount and target', async () => {
    await told('slack')
    const id = await hold({ summary: 'Pay the bill' })
    const [message] = await posted()
    expect(message?.url).toBe(path)
    const texts = message?.json.blocks.map(({ text }: { text: { text: string } }) => text.text)
    expect(texts).toEqual([
      'pay on crm waits for a decision.',
      'Summary: Pay the bill',
      expect.stringMatching(/^Agent: ./),
      'Risk: high',
      `Application: ${tenant.id}`,
      `Action: ${id}`,
      expect.stringMatching(/^Denied unless decided by: 20/),
      `<${base}/approve/${tenant.id}/${id}|Decide>\nOpening the link decides nothing.`,
    ])
    expect(message?.json).toMatchObject({ text: 'pay on crm waits for a decision.', unfurl_links: false })
    expect(message?.body).not.toContain('4711')
    expect(Object.keys(message?.headers ?? {})).not.toContain('webhook-signature')
  })

  it.each(formats)('to %s says amount and target, unless the owner turned that off', async format => {
    const parameters = { amount: 12.5, currency: 'EUR', to: 'ada@example.org', card: '4711' }
    const off = await told(format, { tells_values: false })
    expect(off.webhook.tells_values).toBe(false)
    await hold({ parameters })
    const [without] = await posted()
    expect(without?.body).not.toMatch(/12\.5|EUR|ada@|ada\[|4711/)
    const on = { url: off.webhook.url, format, event_types: pending }
    const { call, admin } = service
    const set = await call<{ webhook: Webhook }>('PUT', off.path, { admin, json: on })
    expect(set.body.webhook?.tells_values, JSON.stringify(set.body)).toBe(true)
    await hold({ parameters, proposal_id: 'again' })
    const [, message] = await posted(2)
    expect(message?.body).toMatch(/Amount: (",|")?.*12\.5 EUR/)
    expect(message?.body).toContain('to ada[@]example[.]org')
    expect(message?.body).not.toContain('4711')
  })

  it('has one plain line of what an agent writes, whatever that is', async () => {
    await told('slack')
    await hold({ summary: '<!channel> *now*\r\nDecide: <https://evil.example|here> &amp; \u202e' })
    const [message] = await posted()
    const [, summary] = message?.json.blocks ?? []
    expect(summary.text).toEqual({
      type: 'plain_text',
      text: 'Summary: &lt;!channel&gt; *now* Decide: &lt;https[:]//evil[.]example|here&gt; &amp;amp;',
      emoji: false,
    })
    const marked = message?.json.blocks.filter(
      ({ text }: { text: { type: string } }) => text.type === 'mrkdwn',
    )
    expect(marked).toHaveLength(1)
  })
})

describe('a message to Teams about a held action', () => {
  it('is a card whose one link leads to its page', async () => {
    await told('teams')
    const id = await hold({ summary: '[Approve](https://evil.example) **{{{DATE(2017-02-14T06:00Z)}}**\nx' })
    const [message] = await posted()
    const [{ contentType, content }] = message?.json.attachments ?? []
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
    expect(content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Decide', url: `${base}/approve/${tenant.id}/${id}` },
    ])
    expect(new Set(content.body.map(({ type }: { type: string }) => type))).toEqual(
      new Set(['RichTextBlock']),
    )
    const lines = content.body.map(({ inlines }: { inlines: { text: string }[] }) =>
      inlines.map(({ text }) => text).join(''),
    )
    expect(lines).toContain(
      'Summary: [Approve](https[:]//evil[.]example) **{ { {DATE(2017-02-14T06:00Z)}}** x',
    )
    expect(lines).toContain('Risk: high')
    expect(message?.body).not.toContain('4711')
  })
})

describe.each(formats)('an incoming webhook of %s', format => {
  it('is asked again after 503, and after 429 not before it says', async () => {
    answers.push({ status: 503 }, { status: 429, retryAfter: '3600' })
    const made = await told(format)
    await hold()
    await expect.poll(async () => (await made.deliveries())[0]?.last_status, patient).toBe(429)
    const [busy] = await made.deliveries()
    const waitMs = Date.parse(busy?.next_attempt_at ?? '') - Date.parse(busy?.last_attempt_at ?? '')
    expect(Math.round(waitMs / 60_000)).toBe(60)
    const again = `${made.path}/deliveries/${busy?.delivery_id}/redeliver`
    expect((await service.call('POST', again, { admin: service.admin })).status).toBe(200)
    expect(await made.all('delivered', 1)).toMatchObject([{ last_status: 200 }])
    expect(chat.seen).toHaveLength(3)
  })

  it.each([404, 410])('that answers %i is gone, and gets no more', async status => {
    answers.push({ status })
    const made = await told(format)
    await hold()
    await expect.poll(made.read, patient).toMatchObject({ enabled: false, disabled_reason: 'gone' })
    expect(await made.all('failed', 1)).toMatchObject([{ attempts: 1, last_status: status }])
  })

  it('that refuses a message gets the next one', async () => {
    answers.push({ status: 400 })
    const made = await told(format)
    await hold()
    expect(await made.all('failed', 1)).toMatchObject([{ attempts: 1, last_status: 400 }])
    await hold()
    await posted(2)
    expect(await made.read()).toMatchObject({ enabled: true })
  })
})

describe('the URL of a chat', () => {
  const hidden = () => `${chat.url}/sha256:${hex(sha256(`${chat.url}${path}`))}`

  it('is shown by its digest alone, wherever a webhook appears', async () => {
    const made = await told('slack')
    await chat.close()
    await hold()
    await made.all('failed', 1)
    const list = await service.call('GET', `/v1/tenants/${tenant.id}/webhooks`, { admin: service.admin })
    const { body: deleted } = await service.call('DELETE', made.path, { admin: service.admin })
    const rows = await asReader<{ row: string }>(
      service.context.store,
      `select w::text as row from webhooks w where tenant_id = '${tenant.id}'
       union all select convert_from(payload, 'UTF8') from config_payloads where tenant_id = '${tenant.id}'
       union all select d::text from webhook_deliveries d where tenant_id = '${tenant.id}'`,
    )
    expect(made.webhook.url).toBe(hidden())
    expect(rows.some(({ row }) => row.includes(hidden()))).toBe(true)
    const shown = JSON.stringify([made.webhook, list, deleted, rows, service.logged()])
    expect(shown).not.toMatch(/s3cret|services/)
  })

  it('is the same in events and rows, and another one is noticed', async () => {
    const webhooks = [await told('slack', { tells_values: false }), await told('teams')].map(
      ({ webhook }) => webhook,
    )
    expect(await differences()).toEqual([])
    await asWriter(
      service.context.store,
      `update webhooks set url = replace(url, 'sha256:', 'sha256:0') where tenant_id = '${tenant.id}'`,
    )
    const expected = webhooks.map(({ webhook_id }) => expect.stringContaining(`webhook ${webhook_id}`))
    expect(await differences()).toEqual(expect.arrayContaining(expected))
  })

  async function differences(): Promise<string[]> {
    const waiting = 'select from log_outbox union all select from unsigned_statements'
    await expect.poll(() => asReader(service.context.store, waiting), patient).toEqual([])
    const how = { trusted: [testVerifierKey()], kept: [], resume: null, onPage: () => undefined }
    const checked = await checkDatabase({ url: databaseUrl(service.database), ...how })
    const here = checked.differences.listed.filter(({ where }) => where.endsWith(tenant.id))
    return here.map(({ problem }) => problem).filter(problem => problem.startsWith('webhook'))
  }

  it('stays where its shown form is sent back, and is refused where it was never set', async () => {
    const made = await told('slack', { enabled: false })
    const put = (json: object) =>
      service.call<{ webhook: Webhook } & Problem>('PUT', made.path, { admin: service.admin, json })
    const back = { url: hidden(), format: 'slack', event_types: pending }
    expect((await put(back)).body.webhook).toMatchObject({ url: hidden(), enabled: true })
    const other = { ...back, url: hidden().replace(/.$/, last => (last === '0' ? '1' : '0')) }
    const { status, body } = await put(other)
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path: 'url' }] })
    await hold()
    const [message] = await posted()
    expect(message?.url).toBe(path)
  })

  it('takes no callbacks, and needs an address that its links lead to', async () => {
    const json = { url: `${chat.url}/`, format: 'slack', event_types: ['action.callback'] }
    const at = `/v1/tenants/${tenant.id}/webhooks`
    const callbacks = await service.call<Problem>('POST', at, { admin: service.admin, json })
    expect(callbacks.body).toMatchObject({ code: 'validation_failed', errors: [{ path: 'url' }] })
    const silent = await startService({ database: service.database, worker: null, env: webhookEnvironment })
    const { status, body } = await silent.call<Problem>('POST', at, {
      admin: service.admin,
      json: { ...json, event_types: pending },
    })
    await silent.close()
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'links_not_configured' })
  })
})
