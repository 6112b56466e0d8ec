import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import {
  axeFindings,
  type Look,
  type Person,
  startBrowser,
  type TestBrowser,
} from '../support/servers/browser.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { type HostileTenant, makeHostileTenant } from './hostile-tenant.ts'
import { openApprovals, signIn, unlock } from './sign-in.ts'
import { keyboardFindings, treeFindings } from './without-a-mouse.ts'

let service: TestService
let browser: TestBrowser
let tenant: HostileTenant
beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
  browser = await startBrowser(service.url)
  tenant = await makeHostileTenant(service)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

const looks: readonly (Look & { name: string })[] = [
  { name: 'light and wide', colorScheme: 'light', width: 1440, height: 900 },
  { name: 'dark and narrow', colorScheme: 'dark', width: 390, height: 844 },
]

/** Each page by a name, with the path to it. */
const outside = {
  'sign in': () => '/app/login',
  'sign up': () => '/app/signup',
  'forgot password': () => '/app/forgot',
}
const inside = {
  applications: () => '/app/applications',
  account: () => '/app/account',
  members: () => '/app/members',
  'approvals of all applications': () => '/app/approvals',
  'a held action among all': () => `/app/approvals/${tenant.owner.tenant_id}/${tenant.held}`,
  overview: () => at(''),
  approvals: () => at('/approvals'),
  'a held action': () => at(`/approvals/${tenant.held}`),
  history: () => at('/history'),
  'history of what was denied': () => at('/history?status=denied'),
  'the trace of an executed action': () => at(`/history/${tenant.executed}`),
  'the trace of a denied action': () => at(`/history/${tenant.denied}`),
  'the trace of an unknown outcome': () => at(`/history/${tenant.unknown}`),
  tools: () => at('/tools'),
  'add a tool': () => at('/tools/add'),
  'a tool': () => at('/tools/at/payments'),
  policy: () => at('/policy'),
  'policy editor': () => at('/policy?tab=edit'),
  'policy revisions': () => at('/policy?tab=revisions'),
  catalog: () => at('/catalog'),
  'routes and groups': () => at('/routes'),
  grants: () => at('/grants'),
  'a grant of a held action': () => at(`/grants?from=${tenant.held}`),
  notices: () => at('/notices'),
  keys: () => at('/keys'),
}
const approvers = {
  'what waits for an approver': () => '/approve',
  'an action before an approver': () => `/approve/${tenant.owner.tenant_id}/${tenant.held}`,
}
const operators = {
  queue: () => '/admin',
  jobs: () => '/admin/jobs?view=needs_operator',
  tenants: () => '/admin/tenants',
  operators: () => '/admin/operators',
  'an action': () => `/admin/tenants/${tenant.owner.tenant_id}/actions/${tenant.unknown}`,
  "a tenant's tool": () => `/admin/tenants/${tenant.owner.tenant_id}/tools/at/payments`,
  'a tool for a tenant': () => `/admin/tenants/${tenant.owner.tenant_id}/tools/add`,
  ...Object.fromEntries(
    ['overview', 'keys', 'policy', 'catalog', 'verification', 'tools', 'actuators', 'stops', 'actions'].map(
      tab => [`a tenant's ${tab}`, () => `/admin/tenants/${tenant.owner.tenant_id}/${tab}`],
    ),
  ),
}

describe.each(looks)('$name', look => {
  test('pages for who is not signed in', async () => {
    const person = await browser.person(look)
    await person.page.goto('/app/login')
    await visitAll(person, look.name, outside)
  })

  test('pages of an owner whose application has hostile names everywhere', async () => {
    const person = await browser.person(look)
    await signIn(person.page, tenant.owner)
    await visitAll(person, look.name, inside)
  }, 480_000)

  test('pages of an approver whose key has a hostile name', async () => {
    const person = await browser.person(look)
    await openApprovals(person.page, tenant.approver)
    await visitAll(person, look.name, approvers)
  }, 480_000)

  test("pages of the operator's console", async () => {
    const person = await browser.person(look)
    await unlock(person.page, service.admin)
    await visitAll(person, look.name, operators)
  }, 480_000)
})

const at = (rest: string) => `/app/a/${tenant.owner.tenant_id}${rest}`

/** Every page, judged by axe, by the tree of a screen reader, by the key Tab, by the console and by its width; pictures of them are kept for whoever wants to look. */
async function visitAll(person: Person, look: string, pages: Record<string, () => string>): Promise<void> {
  const folder = join(repositoryRoot, '.cache', 'pictures', look.replaceAll(' ', '-'))
  await mkdir(folder, { recursive: true })
  const { page } = person
  const found: Record<string, unknown> = {}
  for (const [name, path] of Object.entries(pages)) {
    await goTo(page, path())
    await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, '-')}.png`) })
    const findings = [
      ...(await axeFindings(page)),
      ...(await treeFindings(page)),
      ...(await keyboardFindings(page)),
      ...(await layoutFindings(page)),
      ...person.complaints(),
    ]
    if (findings.length > 0) found[name] = findings
  }
  expect(found).toEqual({})
}

/** Within the page, as a link would: a reload would lock the console. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`
    window.history.pushState(null, '', ${JSON.stringify(path)})
    window.dispatchEvent(new PopStateEvent('popstate', { state: null }))
    window.scrollTo(0, 0)`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count(), { timeout: 20_000 }).toBe(0)
}

/** Nothing is wider than the window, nobody's script ran, and no text stands as markup. */
async function layoutFindings(page: Page): Promise<string[]> {
  const { wide, window, ran, markup, headings } = await page.evaluate<{
    wide: number
    window: number
    ran: boolean
    markup: boolean
    headings: number
  }>(`({
    wide: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
    ran: 'owned' in window,
    markup: document.querySelector('img[src="x"]') !== null,
    headings: document.querySelectorAll('h1').length,
  })`)
  return [
    ...(wide > window ? [`${wide} wide in a window of ${window}`] : []),
    ...(ran ? ['a script of somebody else ran'] : []),
    ...(markup ? ['a text was taken for markup'] : []),
    ...(headings === 1 ? [] : [`${headings} headings of the first level`]),
  ]
}
