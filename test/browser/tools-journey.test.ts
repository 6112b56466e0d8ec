import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessCounts, accessWords } from '../../shared/contract/access/access-words.ts'
import type { ToolSummary } from '../../shared/contract/configuration/tool-import.ts'
import { type Downstream, startDownstream } from '../support/fixtures/http-downstream.ts'
import { serveMcp } from '../support/fixtures/mcp-server.ts'
import { secretsEnvironment } from '../support/fixtures/secrets-keys.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { axeFindings, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { signUp, type TestOwner } from '../support/service/owner.ts'
import { newValue } from '../support/service/secrets-bed.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal } from '../support/service/tenant.ts'
import { signIn, unlock } from './sign-in.ts'

let service: TestService
let browser: TestBrowser
let owner: TestOwner
let shop: Downstream

beforeAll(async () => {
  shop = await startDownstream((seen, response) => {
    if (seen.headers['x-fail'] === 'yes') return void response.writeHead(422).end('{"why":"no"}')
    const document = seen.url === '/openapi.json'
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(document ? shopDocument() : [{ order: 7 }]))
  })
  service = await startService({
    env: {
      ...secretsEnvironment,
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      // What waits for a secret keeps waiting while a page is read.
      SERVICE_RETRY_AFTER_MS_MAX: '60000',
    },
  })
  browser = await startBrowser(service.url)
  owner = await signUp(service.call)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
  await shop?.close()
})

function shopDocument(): object {
  const sum = { type: 'number', exclusiveMinimum: 0, maximum: 100 }
  const order = { type: 'object', required: ['sum'], properties: { sum }, additionalProperties: false }
  const content = { 'application/json': { schema: order } }
  return {
    openapi: '3.1.0',
    info: { title: 'Corner shop', version: '1' },
    servers: [{ url: shop.url }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
    paths: {
      '/orders': {
        get: { operationId: 'list_orders', summary: 'List orders' },
        post: { operationId: 'order', summary: 'Order', requestBody: { required: true, content } },
      },
    },
  }
}

test('an owner imports a tool, sets its credential, calls it once and removes it', async () => {
  const { page } = await browser.person()
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/tools`)
  await page.getByRole('link', { name: 'Add a tool' }).first().click()
  await page.getByLabel('Address of the document').fill(`${shop.url}/openapi.json`)
  await page.getByLabel('Name of the system').fill('shop')
  await look(page, 'source')
  await page.getByRole('button', { name: 'Look at it' }).click()
  await page.getByRole('checkbox', { name: /List orders/ }).waitFor()
  await look(page, 'proposal')
  await page.getByRole('button', { name: 'Apply as one revision' }).click()
  await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
  await page.getByRole('button', { name: 'Set' }).click()
  await page.getByRole('dialog').getByLabel('Value').fill('a-token-that-nobody-reads')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByText('ready', { exact: true }).waitFor()
  await page.getByLabel('Operation', { exact: true }).selectOption('list_orders')
  await page.getByRole('button', { name: 'Call it' }).click()
  await page.getByRole('status').getByText('executed').waitFor()
  const headers = { prefer: 'wait=10' }
  const json = proposal({ system: 'shop', operation: 'list_orders', parameters: {} })
  const { body } = await service.call<{ status: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json,
    headers,
  })
  expect(body).toMatchObject({ decision: 'allow' })
  await page.reload()
  const day = page.getByRole('table', { name: 'Actions and latency of the last day' })
  await day.getByRole('row', { name: /list_orders/ }).waitFor()
  expect(await day.getByRole('row', { name: /list_orders/ }).innerText()).toMatch(/1\s+0\s+0\s+\d+ ms/)
  await look(page, 'tool')
  expect(shop.seen.at(-1)?.headers.authorization).toBe('Bearer a-token-that-nobody-reads')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('button', { name: 'Pause it' }).click()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByRole('button', { name: 'Resume it' }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Freeze', exact: true }).click()
  await page.getByRole('button', { name: 'Freeze it' }).click()
  await page.getByText('shop is frozen').waitFor()
  const meanwhile = { ...json, proposal_id: 'while-it-is-frozen' }
  const denied = await service.call('POST', '/v1/actions', { key: owner.agent, json: meanwhile })
  const frozen = expect.stringMatching(/^frozen: /)
  expect(denied.body).toMatchObject({ blocking_reasons: [frozen] })
  await page.getByRole('button', { name: 'Unfreeze', exact: true }).click()
  await page.getByRole('button', { name: 'Unfreeze it' }).click()
  await page.getByRole('button', { name: 'Freeze', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove it' }).click()
  await page.getByText('shop is removed').waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'shop', exact: true }).count()).toBe(0)
}, 120_000)

test('an operation that may change something is called only once that is confirmed', async () => {
  const { page } = await browser.person({ colorScheme: 'dark', width: 390, height: 844 })
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/tools/add`)
  await page.getByRole('radio', { name: 'OpenAPI document as text' }).check()
  await page.getByLabel('Document', { exact: true }).fill(JSON.stringify({ ...shopDocument(), security: [] }))
  await look(page, 'source, narrow')
  await page.getByRole('button', { name: 'Look at it' }).click()
  await page.getByRole('button', { name: 'Apply as one revision' }).waitFor()
  await look(page, 'proposal, narrow')
  await page.getByRole('button', { name: 'Apply as one revision' }).click()
  await page.getByRole('heading', { level: 1, name: /corner/i }).waitFor()
  await page.getByLabel('Operation', { exact: true }).selectOption('order')
  await page.getByRole('textbox', { name: /^sum/ }).fill('5')
  await page.getByRole('textbox', { name: /^sum/ }).press('Tab')
  expect(JSON.parse(await page.getByLabel('Parameters as JSON').inputValue())).toEqual({ sum: 5 })
  const before = shop.seen.length
  await page.getByRole('button', { name: 'Show the request' }).click()
  await page.getByText('It was not called: it may change something downstream.').waitFor()
  expect(shop.seen).toHaveLength(before)
  await page.getByRole('checkbox', { name: /Call it all the same/ }).check()
  await page.getByRole('button', { name: 'Call it' }).click()
  await page.getByRole('status').getByText('executed').waitFor()
  await look(page, 'tool, narrow')
  expect(shop.seen.at(-1)).toMatchObject({ method: 'POST', url: '/orders' })
}, 120_000)

test('an owner imports an MCP server that asks for a bearer, which is stored', async () => {
  const script = { description: 'Refunds a charge', refund: () => 'refunded', meta: [] }
  const bearer = newValue('bearer')
  const server = await serveMcp(script, { bearer })
  const { page } = await browser.person()
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/tools/add`)
  await page.getByRole('radio', { name: 'MCP server' }).check()
  await page.getByLabel('Address of the server').fill(server.url)
  await page.getByLabel('Name of the system').fill('refunds')
  await page.getByRole('button', { name: 'Look at it' }).click()
  await page
    .getByText(/asks for a credential \(status 401\)/)
    .first()
    .waitFor()
  await page.getByLabel('Bearer token').fill(bearer)
  await look(page, 'source of an mcp server')
  await page.getByRole('button', { name: 'Look at it' }).click()
  await page.getByRole('button', { name: 'Apply as one revision' }).click()
  await page.getByRole('heading', { level: 1, name: 'refunds' }).waitFor()
  await page.getByText('ready', { exact: true }).waitFor()
  expect(await page.content()).not.toContain(bearer)
  script.description = 'Refunds a charge, once'
  await page.getByRole('link', { name: 'Look for changes' }).click()
  await page.getByText('describes itself in other words').waitFor()
  await look(page, 'what a server changed')
  await server.close()
  await page.reload()
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Address of the server').inputValue()).toBe(server.url)
}, 120_000)

test('a secret that could not be stored after an import is stored again', async () => {
  const script = { description: 'Refunds a charge', refund: () => 'refunded', meta: [] }
  const bearer = newValue('again')
  const server = await serveMcp(script, { bearer })
  const { page } = await browser.person({ width: 390, height: 844 })
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/tools/add`)
  await page.getByRole('radio', { name: 'MCP server' }).check()
  await page.getByLabel('Address of the server').fill(server.url)
  await page.getByLabel('Name of the system').fill('again')
  await page.getByLabel('Bearer token').fill(bearer)
  await page.getByRole('button', { name: 'Look at it' }).click()
  let cut = true
  await page.route('**/secrets/**', route => (cut ? route.abort() : route.continue()))
  await page.getByRole('button', { name: 'Apply as one revision' }).click()
  await page.getByRole('heading', { name: 'again_token is not stored' }).waitFor()
  await look(page, 'secret not stored, narrow')
  cut = false
  await page.getByRole('button', { name: 'Store it again' }).click()
  await page.getByRole('heading', { level: 1, name: 'again', exact: true }).waitFor()
  await page.getByText('ready', { exact: true }).waitFor()
  await server.close()
}, 120_000)

test('a first catalog names what it denies before it is applied', async () => {
  const { page } = await browser.person({ colorScheme: 'dark', width: 1280, height: 900 })
  const { id } = await service.tenant({
    policy: {
      allowed_systems: ['mail', 'notes'],
      allowed_operations: { mail: ['send', 'list'] },
      approval_required_at: 'high',
      review_route: 'leads',
    },
    actuators: [],
  })
  await unlock(page, service.admin)
  await toTools(page, id)
  await page.getByRole('link', { name: 'Add a tool' }).first().click()
  await page.getByRole('radio', { name: 'OpenAPI document as text' }).check()
  await page.getByLabel('Document', { exact: true }).fill(JSON.stringify({ ...shopDocument(), security: [] }))
  await page.getByRole('button', { name: 'Look at it' }).click()
  await page.getByRole('heading', { name: 'Denied once you apply' }).waitFor()
  await page.getByText('mail: list, send').waitFor()
  await page.getByText('notes: every operation').waitFor()
  await look(page, 'first catalog')
}, 120_000)

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const)(
  'the last day of a tool is read at $width px, $colorScheme',
  async ({ colorScheme, width }) => {
    const { page } = await browser.person({ colorScheme, width, height: 844 })
    const system = `health-of-a-system-with-a-long-name-${width}`
    const operations = {
      list_orders: { method: 'GET', path: '/orders' },
      refuse_orders_that_nobody_wants: { method: 'GET', path: '/orders', headers: { 'X-Fail': 'yes' } },
      wait: { method: 'GET', path: '/orders', headers: { 'X-Fail': 'no' } },
    }
    const entries = Object.keys(operations).map(operation => ({
      ...listEntry,
      operation,
      system,
      actuator: { name: system, kind: 'http' },
    }))
    const put = (settings: object) =>
      service.call('PUT', `/v1/tenants/${owner.tenant_id}/tools/${system}`, {
        admin: service.admin,
        json: {
          actuator: { name: system, kind: 'http', settings: { base_url: shop.url, operations, ...settings } },
          operations: entries,
        },
      })
    const headers = { prefer: 'wait=10' }
    const call = (operation: string) =>
      service.call('POST', '/v1/actions', {
        key: owner.agent,
        json: proposal({ system, operation, parameters: {} }),
        headers,
      })
    expect((await put({})).status).toBe(200)
    for (const operation of ['list_orders', 'list_orders', 'refuse_orders_that_nobody_wants'])
      expect((await call(operation)).status).toBe(200)
    await put({ auth: { type: 'bearer', token: { secret: 'nobody_stored_it' } } })
    await service.call('POST', '/v1/actions', {
      key: owner.agent,
      json: proposal({ system, operation: 'wait', parameters: {} }),
      headers: { prefer: 'wait=0' },
    })
    const health = `/v1/tenants/${owner.tenant_id}/tools/${system}/health`
    const waiting = async () =>
      JSON.stringify((await service.call('GET', health, { admin: service.admin })).body)
    await expect.poll(waiting, { timeout: 20_000 }).toContain('secret_missing')
    await signIn(page, owner)
    await page.goto(`/app/a/${owner.tenant_id}/tools/at/${system}`)
    await page.getByRole('table', { name: 'Jobs that wait' }).getByText('secret_missing').waitFor()
    await page.getByText('By the hour: 1 hour with calls').click()
    await page.getByRole('table', { name: 'Actions by the hour in which they ended' }).waitFor()
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(wide).toBeLessThanOrEqual(0)
    await look(page, `health ${width} ${colorScheme}`)
  },
  120_000,
)

const listEntry = {
  title: 'List',
  parameter_schema: { type: 'object', additionalProperties: false },
  minimum_risk: 'low',
  effects: ['reads data'],
  reversibility: 'reversible',
  idempotency: 'none',
  tool_schema_hash: null,
}

test('an operator adds a tool of a tenant, calls it, pauses and resumes it', async () => {
  const { page } = await browser.person()
  const { id } = await service.tenant({
    policy: { allowed_systems: [], approval_required_at: 'high', review_route: 'leads' },
    actuators: [],
  })
  await unlock(page, service.admin)
  await toTools(page, id)
  await page.getByRole('link', { name: 'Add a tool' }).first().click()
  await page.getByRole('radio', { name: 'OpenAPI document as text' }).check()
  await page.getByLabel('Document', { exact: true }).fill(JSON.stringify({ ...shopDocument(), security: [] }))
  await page.getByLabel('Name of the system').fill('shop')
  await page.getByRole('button', { name: 'Look at it' }).click()
  await page.getByRole('button', { name: 'Apply as one revision' }).click()
  await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
  await page.getByText('Nothing was called.').waitFor()
  await page.getByLabel('Operation', { exact: true }).selectOption('list_orders')
  await page.getByRole('button', { name: 'Call it' }).click()
  await page.getByRole('status').getByText('executed').waitFor()
  await look(page, 'tool of an operator')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('button', { name: 'Pause it' }).click()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByRole('button', { name: 'Resume it' }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Tools' }).click()
  await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
  await look(page, 'tools of an operator')
}, 120_000)

test('each page says of an operation what the gate answers, in the same words', async () => {
  const other = await signUp(service.call)
  const policy = {
    allowed_systems: ['helpdesk', 'payments'],
    allowed_operations: { payments: ['close', 'list', 'unreviewed'] },
    approval_required_at: 'medium',
    review_route: 'leads',
  }
  const entry = { ...listEntry, system: 'payments', actuator: { name: 'payments', kind: 'mock' } }
  const operations = [
    { ...entry, operation: 'close', title: 'Close', minimum_risk: 'high' },
    { ...entry, operation: 'list', title: 'List' },
  ]
  const put = await other.browser.call('PUT', other.path('/policy'), { json: { policy } })
  expect(put.status, JSON.stringify(put.body)).toBe(200)
  const reviewed = await other.browser.call('PUT', other.path('/catalog'), {
    json: { catalog: { operations } },
  })
  expect(reviewed.status, JSON.stringify(reviewed.body)).toBe(200)
  const { body } = await other.browser.call<{ tools: ToolSummary[] }>('GET', other.path('/tools'))
  const listed = body.tools.flatMap(({ access }) => access)
  expect(new Set(listed.map(({ answer }) => answer))).toEqual(new Set(['allowed', 'denied', 'held']))

  // What an application begins with is over once its agent has proposed something.
  const json = proposal({ system: 'payments', operation: 'list', parameters: {}, risk: 'low' })
  expect((await service.call('POST', '/v1/actions', { key: other.agent, json })).body).toMatchObject({
    decision: 'allow',
  })
  const { page } = await browser.person({ colorScheme: 'dark' })
  await signIn(page, other)
  const main = page.getByRole('main')
  const home = `/app/a/${other.tenant_id}`
  await page.goto(home)
  const card = main.locator('section', { has: page.getByRole('heading', { name: 'Policy in force' }) })
  const counts = { allowed: 0, held: 0, denied: 0, open: 0 }
  for (const { operation, answer } of listed) if (operation !== null) counts[answer] += 1
  await card.getByText(accessCounts(counts)).waitFor()
  await look(page, 'policy in force')
  await page.goto(`${home}/tools`)
  for (const { operations } of body.tools) {
    const words = accessCounts(operations)
    if (words !== '') await main.getByText(words, { exact: true }).first().waitFor()
  }
  await page.goto(`${home}/policy`)
  for (const access of listed) await main.getByText(accessWords(access), { exact: true }).first().waitFor()
  for (const { system, access } of body.tools) {
    await page.goto(`${home}/tools/at/${system}`)
    for (const one of access)
      if (one.operation !== null) await main.getByText(accessWords(one), { exact: true }).first().waitFor()
  }
}, 120_000)

/** From the first page of the operator to the tools of a tenant. */
async function toTools(page: Page, id: string): Promise<void> {
  await page.getByRole('link', { name: 'Tenants' }).click()
  await page.getByRole('link', { name: id }).click()
  await page.getByRole('tab', { name: 'Tools' }).click()
}

/** Judged by axe; a picture is kept for whoever wants to look. */
async function look(page: Page, name: string): Promise<void> {
  const folder = join(repositoryRoot, '.cache', 'pictures', 'tools')
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, '-')}.png`), fullPage: true })
  expect(await axeFindings(page)).toEqual([])
}
