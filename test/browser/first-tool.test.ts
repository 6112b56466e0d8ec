import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../shared/contract/base/json.ts'
import { type Downstream, startDownstream } from '../support/fixtures/http-downstream.ts'
import { sealingEnvironment, secretsEnvironment } from '../support/fixtures/secrets-keys.ts'
import { startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { signUp, type TestOwner } from '../support/service/owner.ts'
import { newValue } from '../support/service/secrets-bed.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal } from '../support/service/tenant.ts'
import { signIn } from './sign-in.ts'

/** From a started service to one's own tool allowed, held and denied, in the browser; in platform mode the API opens no secret. */
describe.each([{ mode: 'embedded' }, { mode: 'platform' }] as const)('in $mode mode', ({ mode }) => {
  let shop: Downstream
  let service: TestService
  let worker: TestService | null = null
  let browser: TestBrowser
  let owner: TestOwner
  const token = newValue(`token in ${mode} mode`)

  beforeAll(async () => {
    shop = await startDownstream(({ url }, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(url === '/openapi.json' ? documentOf(shop.url) : { order: 7 }))
    })
    const more = { SERVICE_HOSTED_ACCOUNTS: 'true' }
    if (mode === 'embedded') service = await startService({ env: { ...secretsEnvironment, ...more } })
    else {
      const env = { ...sealingEnvironment, ...more }
      service = await startService({ env, worker: null, platform: true })
      const { database } = service
      worker = await startService({ env: { ...secretsEnvironment, ...more }, platform: true, database })
    }
    browser = await startBrowser(service.url)
    owner = await signUp(service.call)
  }, 300_000)

  afterAll(async () => {
    await browser?.close()
    await worker?.close()
    await service?.close()
    await shop?.close()
  })

  /** As an agent asks; the sum is in the parameters. */
  async function proposed(operation: string, parameters: JsonObject) {
    const json = proposal({ system: 'shop', operation, parameters, risk: 'low' })
    const { body } = await service.call<{ action_id: string; decision: string }>('POST', '/v1/actions', {
      key: owner.agent,
      json,
    })
    return body
  }

  const becomes = (id: string, status: string) =>
    expect
      .poll(
        async () => {
          const { body } = await service.call<{ status: string }>('GET', `/v1/actions/${id}`, {
            key: owner.agent,
          })
          return body.status
        },
        { timeout: 20_000 },
      )
      .toBe(status)

  it('an owner adds a tool in three steps, and it is allowed, held and denied', async () => {
    const { page } = await browser.person()
    await signIn(page, owner)
    await added(page)
    await page.getByRole('button', { name: 'Set' }).click()
    await page.getByRole('dialog').getByLabel('Value').fill(token)
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByText('ready', { exact: true }).waitFor()
    await page.getByLabel('Operation', { exact: true }).selectOption('list_orders')
    await page.getByRole('button', { name: 'Call it' }).click()
    await page.getByRole('status').getByText('executed').waitFor()
    expect(shop.seen.at(-1)?.headers.authorization).toBe(`Bearer ${token}`)

    const allowed = await proposed('list_orders', {})
    const held = await proposed('order', { sum: 5 })
    const denied = await proposed('order', { sum: 5_000 })
    const decisions = [allowed, held, denied].map(({ decision }) => decision)
    expect(decisions).toEqual(['allow', 'needs_approval', 'deny'])
    await becomes(allowed.action_id, 'executed')
    await approved(page)
    await becomes(held.action_id, 'executed')
    expect(shop.seen.at(-1)).toMatchObject({ method: 'POST', body: '{"sum":5}' })
    await page.goto(`/app/a/${owner.tenant_id}/history/${denied.action_id}`)
    await page
      .getByText(/The gate denied it/)
      .first()
      .waitFor()
    expect(shop.seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
  }, 120_000)

  async function added(page: Page): Promise<void> {
    await page.goto(`/app/a/${owner.tenant_id}/tools`)
    await page.getByRole('link', { name: 'Add a tool' }).first().click()
    await page.getByLabel('Address of the document').fill(`${shop.url}/openapi.json`)
    await page.getByLabel('Name of the system').fill('shop')
    await page.getByRole('button', { name: 'Look at it' }).click()
    await page.getByRole('button', { name: 'Apply as one revision' }).click()
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
  }

  async function approved(page: Page): Promise<void> {
    await page.goto(`/app/a/${owner.tenant_id}/approvals`)
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve and execute' }).click()
  }
})

function documentOf(url: string): object {
  const sum = { type: 'number', exclusiveMinimum: 0, maximum: 100 }
  const schema = { type: 'object', required: ['sum'], properties: { sum }, additionalProperties: false }
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  return {
    openapi: '3.1.0',
    info: { title: 'Corner shop', version: '1' },
    servers: [{ url }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
    paths: {
      '/orders': {
        get: { operationId: 'list_orders', summary: 'List orders' },
        post: { operationId: 'order', summary: 'Order', requestBody },
      },
    },
  }
}
