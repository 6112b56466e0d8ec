import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPushService, type TestPushService } from '../support/fixtures/push-service.ts'
import { webhookEnvironment } from '../support/fixtures/webhook-receiver.ts'
import { type Person, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts'
import { findNginx, startDeployedProxy, type TlsProxy } from '../support/servers/nginx.ts'
import { freePort } from '../support/servers/redis-program.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal } from '../support/service/tenant.ts'
import { logInThere } from './sign-in.ts'
import { click, deliver, registrationOf, shown, subscribable } from './subscribed.ts'

/** The whole product behind the proxy of deploy.md, at a path of a host that others share. */
describe.each([
  { how: 'keeps', strips: false },
  { how: 'strips', strips: true },
])('behind a proxy of TLS that $how the path', ({ strips }) => {
  let base: string
  let issuer: TestIssuer
  let push: TestPushService
  let service: TestService
  let proxy: TlsProxy
  let browser: TestBrowser
  beforeAll(async () => {
    const port = await freePort()
    base = `https://localhost:${port}/agents`
    issuer = await startIssuer({ serviceUrl: () => base })
    push = await startPushService()
    service = await startService({
      env: {
        ...webhookEnvironment,
        ...issuer.setting(),
        SERVICE_BASE_URL: base,
        SERVICE_TRUST_PROXY: '1',
        SERVICE_HOSTED_ACCOUNTS: 'true',
      },
    })
    proxy = await startDeployedProxy(await findNginx(), { port, service: service.url, strips })
    browser = await startBrowser(`${base}/`)
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    await proxy?.stop()
    await service?.close()
    await push?.close()
    await issuer?.close()
  })

  /** Somebody new, and what their browser asked of the host beside the path. */
  async function visitor(): Promise<
    Person & { push: ReturnType<TestPushService['browser']>; outside: string[] }
  > {
    const person = await subscribable(browser, push)
    person.expectComplaint(new RegExp(`^request to ${issuer.url}/`))
    person.expectComplaint(/404/) // The icon of the issuer’s page.
    const outside: string[] = []
    person.page.on('request', request => {
      const { origin, pathname } = new URL(request.url())
      if (origin === new URL(base).origin && !pathname.startsWith('/agents/')) outside.push(pathname)
    })
    return { ...person, outside }
  }

  async function signUpThere({ page }: Person, login: string): Promise<void> {
    await page.goto('app/signup')
    await page.getByLabel('Name of your organization').fill('Example Shop')
    await page.getByRole('button', { name: 'Continue with Example Login' }).click()
    await logInThere(page, login)
    await page.getByRole('heading', { name: 'Applications' }).waitFor()
  }

  async function newAgent({ page }: Person): Promise<string> {
    await page.getByRole('button', { name: 'New application' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Shop')
    await dialog.getByRole('radio', { name: /customer support/i }).check()
    await dialog.getByRole('button', { name: /create/i }).click()
    const key = /agk_[a-z2-7]{16}\.\S{49}/
    const shownKey = await page.getByText(key).first().innerText()
    return key.exec(shownKey)?.[0] ?? ''
  }

  test('an owner signs up at an issuer, and cookies have the path', async () => {
    const owner = await visitor()
    const { page, context, outside } = owner
    await page.goto('')
    await page.getByText(`curl -s ${base}/v1/actions`).waitFor()
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.waitForURL(url => url.href.startsWith(`${base}/app/login`))
    await signUpThere(owner, 'ann')
    await newAgent(owner)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    const home = page.url()
    expect(home.startsWith(`${base}/app/a/`)).toBe(true)
    const cookies = await context.cookies(base)
    const own = cookies.filter(({ name }) => name.startsWith('service_'))
    expect(own.length).toBeGreaterThan(0)
    expect(own.filter(({ path, secure }) => path !== '/agents' || !secure)).toEqual([])

    expect({ outside, complaints: owner.complaints() }).toEqual({ outside: [], complaints: [] })
  }, 180_000)

  test('an owner is told what waits, decides, verifies and leaves', async () => {
    const owner = await visitor()
    const { page, context, outside } = owner
    await signUpThere(owner, 'bob')
    const agent = await newAgent(owner)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    const home = page.url()
    await page.goto(`${home}/approvals`)
    await page.getByRole('button', { name: 'Notify me in this browser' }).click()
    await page.getByRole('button', { name: 'Stop notices in this browser' }).waitFor()
    const held = await refund(agent)
    const [message] = await owner.push.received(1)
    const session = await context.newCDPSession(page)
    const there = { origin: new URL(base).origin, registrationId: await registrationOf(session) }
    await deliver(session, there, message?.notice ?? {})
    await expect.poll(async () => (await shown(page)).length).toBe(1)
    expect(await click(owner)).toEqual([`opened ${held.review_url}`])

    await page.goto(held.review_url)
    await page.getByRole('link', { name: 'Decide in the dashboard' }).click()
    await page.getByRole('button', { name: /^Approve/ }).click()
    const deciding = page.getByRole('dialog')
    await deciding.getByRole('button', { name: 'Approve and execute' }).click()
    await deciding.waitFor({ state: 'detached' })
    await expect.poll(async () => (await held.poll()).status, { timeout: 20_000 }).toBe('executed')
    await page.goto(`${home}/history/${held.action_id}`)
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    await page
      .getByText(/verified/i)
      .first()
      .waitFor()

    await page.goto('app/account')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Leave Example Login?' }).waitFor()
    await page.goto('app/account')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(page.url().startsWith(`${base}/app/login`)).toBe(true)
    expect({ outside, complaints: owner.complaints() }).toEqual({ outside: [], complaints: [] })
  }, 180_000)

  /** What an agent asks through the proxy and a person decides, and how it is polled. */
  async function refund(key: string) {
    const asked = proposal({ risk: 'medium', system: 'payments', operation: 'refund' })
    const parameters = { amount: 30, currency: 'EUR', order: { id: 'A-1' } }
    const data = { ...asked, action: { ...asked.action, parameters } }
    const { context } = await browser.person()
    const headers = { authorization: `Bearer ${key}` }
    const answered = await context.request.post('v1/actions', { headers, data })
    const { action_id, review_url } = await answered.json()
    const poll = async () => (await context.request.get(`v1/actions/${action_id}`, { headers })).json()
    return { action_id: String(action_id), review_url: String(review_url), poll }
  }

  test('an agent calls by MCP, and a program is told where it is', async () => {
    const { context } = await browser.person()
    const { agent } = await service.tenant()
    const headers = {
      authorization: `Bearer ${agent}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    }
    const data = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const listed = await context.request.post('mcp', { headers, data })
    expect({ status: listed.status(), text: await listed.text() }).toMatchObject({
      status: 200,
      text: expect.stringContaining('"tools"'),
    })
    const asked = { headers: { ...headers, prefer: 'wait=0' }, data: proposal() }
    const { action_id, polling_url } = await (await context.request.post('v1/actions', asked)).json()
    expect(polling_url).toBe(`${base}/v1/actions/${action_id}`)
    const openApi = await (await context.request.get('openapi.json')).json()
    expect(openApi.servers[0].url).toBe(base)
    const { endpoints } = await (await context.request.get('v1/integration', { headers })).json()
    expect(endpoints.submit_action.url).toBe(`${base}/v1/actions`)
    const missing = await (await context.request.get('v1/nothing', { headers })).json()
    expect(missing.type).toBe(`${base}/docs/errors#not_found`)
    expect((await fetch(`${service.url}/health`)).status, 'a probe comes without the path').toBe(200)
  }, 60_000)

  test('the documents, the console and the page of approvers stay below it', async () => {
    const reader = await visitor()
    const { page, outside } = reader
    await page.goto('docs')
    await page.getByRole('searchbox').fill('proposal_confl')
    await page.locator('.found a').first().click()
    await page.waitForURL(`${base}/docs/errors#proposal_conflict`)
    await page.goto('docs/integrate')
    await page.getByRole('link', { name: 'Approvals', exact: true }).first().click()
    await page.waitForURL(`${base}/docs/approvals`)
    await page.goto('docs/api-agent')
    await page.getByText('/v1/actions', { exact: true }).first().waitFor()
    await page.goto('admin')
    await page.getByLabel(/admin key/i).fill(service.admin)
    await page.getByRole('button', { name: /unlock/i }).click()
    await page.getByRole('heading', { level: 1, name: /queue/i }).waitFor()
    await page.getByRole('link', { name: /^Tenants/ }).click()
    await page.waitForURL(`${base}/admin/tenants`)
    const { approver } = await service.tenant()
    await page.goto('approve')
    await page.getByLabel('Approver key').fill(approver)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    const pictures = await page.evaluate<string[]>(
      `[...document.images].filter(one => !one.naturalWidth).map(one => one.src)`,
    )
    expect({ outside, pictures, complaints: reader.complaints() }).toEqual({
      outside: [],
      pictures: [],
      complaints: [],
    })
  }, 120_000)
})
