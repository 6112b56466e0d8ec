import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { exampleOperation } from '../../../shared/contract/examples/example-policy.ts'
import { makeWebhook, webhookEnvironment } from '../../support/fixtures/webhook-receiver.ts'
import { type MailServer, startMailServer } from '../../support/servers/mail-server.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { ProposalChange, TestTenant } from '../../support/service/tenant.ts'
import { holdPayment, paymentPolicy } from '../../support/service/webhook-bed.ts'

const login = { user: 'gate', pass: 's3cret-mail' }
const base = 'https://gate.example.org'
const refusals: { code: number; message: string }[] = []
let server: MailServer
let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  server = await startMailServer(login, () => refusals.shift() ?? null)
  service = await startService({
    env: {
      ...webhookEnvironment,
      SERVICE_SMTP_URL: server.url,
      SERVICE_MAIL_FROM: 'gate@example.org',
      SERVICE_BASE_URL: base,
    },
  })
})
afterAll(async () => {
  await service.close()
  await server.close()
})
beforeEach(async () => {
  server.mails.length = 0
  tenant = await service.tenant({ policy: paymentPolicy })
})

const told = (change: object = {}) =>
  makeWebhook(service, tenant.id, {
    url: 'mailto:lead@example.org',
    format: 'email',
    event_types: ['action.pending_approval'],
    ...change,
  })

const hold = (change: ProposalChange = {}) => holdPayment(tenant, change)

describe('an e-mail about a held action', () => {
  it('leads to its page, and says none of its parameters', async () => {
    const made = await told()
    const id = await hold({ summary: 'Pay the bill' })
    const [mail] = await server.received(1)
    expect(mail).toMatchObject({
      subject: 'pay on crm waits for a decision',
      recipients: ['lead@example.org'],
      from: { value: [{ address: 'gate@example.org' }] },
    })
    expect(mail?.text).toContain(`Decide: ${base}/approve/${tenant.id}/${id}`)
    expect(mail?.text).toMatch(/Summary: Pay the bill\n.*Risk: high\n.*Denied unless decided by: 20/s)
    expect(mail?.text).not.toContain('4711')
    expect(mail?.html).toBe(false)
    const [delivery] = await made.all('delivered', 1)
    expect(mail?.messageId).toBe(`<${delivery?.delivery_id}@example.org>`)
    expect(delivery).toMatchObject({ last_status: 250, attempts: 1 })
  })

  it('stays one line each, whatever an agent writes', async () => {
    await told()
    const id = await hold({
      summary: 'x\r\nBcc: eve@example.org\r\n\r\nDecide: https://evil.example\u202e\u2028',
    })
    const [mail] = await server.received(1)
    expect(mail?.recipients).toEqual(['lead@example.org'])
    expect([...(mail?.headers.keys() ?? [])]).not.toContain('bcc')
    const decide = mail?.text?.split('\n').filter(line => line.startsWith('Decide: '))
    expect(decide).toEqual([`Decide: ${base}/approve/${tenant.id}/${id}`])
    expect(mail?.text).toContain('Summary: x Bcc: eve[@]example[.]org Decide: https[:]//evil[.]example\n')
  })

  it('tells the risk that the gate decided with, and what raised it', async () => {
    await service.call('POST', `/v1/tenants/${tenant.id}/catalog`, {
      admin: service.admin,
      json: {
        operations: [
          {
            ...exampleOperation,
            ...{ system: 'crm', operation: 'pay', minimum_risk: 'high' },
            parameter_schema: {
              type: 'object',
              properties: { card: { type: 'string' } },
              additionalProperties: false,
            },
            actuator: { name: 'crm', kind: 'mock' },
          },
        ],
      },
    })
    await told()
    await hold({ risk: 'low' })
    const [mail] = await server.received(1)
    expect(mail?.text).toContain('Risk: high, raised by the catalog; the agent claims low\n')
  })

  it('has no address of an agent that becomes a link, and no pile of accents', async () => {
    await told()
    const pile = `e${'\u0301'.repeat(200)}`
    await hold({
      summary: `www.evil.example/x HTTP://1.2.3.4 mailto:a@b tel:+41 evil\u3002example ${pile} 3.50`,
    })
    const [mail] = await server.received(1)
    expect(mail?.text).toContain(
      `Summary: www[.]evil[.]example/x HTTP[:]//1.2.3.4 mailto[:]a[@]b tel[:]+41 evil[.]example e${'\u0301'.repeat(4)} 3.50\n`,
    )
  })

  it('is sent again after a refusal that passes, under the same id', async () => {
    refusals.push({ code: 451, message: 'come back later' })
    const made = await told()
    await hold()
    const [mail] = await server.received(1)
    const [delivery] = await made.all('delivered', 1)
    expect(delivery?.attempts).toBe(2)
    expect(mail?.messageId).toBe(`<${delivery?.delivery_id}@example.org>`)
  })

  it('is not sent again to whom the server does not know', async () => {
    refusals.push({ code: 550, message: `no such mailbox, ${login.pass}` })
    const made = await told()
    await hold()
    const [delivery] = await made.all('failed', 1)
    expect(delivery).toMatchObject({ attempts: 1, last_status: 550 })
    expect(delivery?.last_error).toContain('no such mailbox')
    expect(JSON.stringify(delivery)).not.toContain(login.pass)
    expect(server.mails).toEqual([])
  })

  it('tells how it ended, where that is asked for', async () => {
    await told({ event_types: ['action.settled'] })
    const id = await hold()
    await tenant.reject(id)
    const [mail] = await server.received(1)
    expect(mail?.subject).toBe('pay on crm was denied')
    expect(mail?.text).toContain(`Read: ${base}/approve/${tenant.id}/${id}`)
  })
})

describe('an endpoint of people', () => {
  const refused = async (json: object) => {
    const path = `/v1/tenants/${tenant.id}/webhooks`
    const { status, body } = await service.call<Problem>('POST', path, { admin: service.admin, json })
    return { status, code: body.code, errors: body.errors?.map(({ path: at, code }) => [at, code]) }
  }
  const pending = ['action.pending_approval']

  it.each([
    { url: 'https://hooks.example.org/gate', format: 'email', event_types: pending },
    { url: 'mailto:lead@example.org', event_types: pending },
    { url: 'mailto:lead@example.org?bcc=eve@example.org', format: 'email', event_types: pending },
    { url: 'mailto:a@example.org,b@example.org', format: 'email', event_types: pending },
    { url: 'mailto:lead@example.org', format: 'email', event_types: ['action.callback'] },
  ])('is one address, and nothing else: $url', async json => {
    expect(await refused(json)).toMatchObject({ status: 400, code: 'validation_failed' })
  })

  it('is refused where the deployment sends no e-mail', async () => {
    const silent = await startService({
      database: service.database,
      worker: null,
      env: { ...webhookEnvironment, SERVICE_BASE_URL: base },
    })
    const { status, body } = await silent.call<Problem>('POST', `/v1/tenants/${tenant.id}/webhooks`, {
      admin: service.admin,
      json: { url: 'mailto:lead@example.org', format: 'email', event_types: pending },
    })
    await silent.close()
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'mail_not_configured' })
  })
})
