import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { axeFindings, type Person, startBrowser, type TestBrowser } from '../../support/servers/browser.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'
import { signIn } from '../sign-in.ts'

let service: TestService
let browser: TestBrowser
let owner: TestOwner
let person: Person
let page: Page
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '1000' },
    worker: null,
  })
  browser = await startBrowser(service.url)
}, 300_000)
beforeEach(async () => {
  owner = await signUp(service.call)
  person = await browser.person()
  page = person.page
  const policy = { ...plainPolicy, allowed_systems: ['helpdesk'] }
  expect((await owner.browser.call('PUT', owner.path('/policy'), { json: policy })).status).toBe(200)
  await signIn(page, owner)
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

async function hold(
  summary: string,
  risk: 'medium' | 'high' = 'high',
  amount = 1,
  more: JsonObject = {},
): Promise<string> {
  const parameters = { amount, ...more }
  const json = proposal({ system: 'helpdesk', operation: 'refund', risk, summary, parameters })
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json,
  })
  return body.action_id
}

async function statusOf(id: string): Promise<string> {
  return (await owner.browser.call<{ status: string }>('GET', owner.path(`/actions/${id}`))).body.status
}

test('with the keyboard alone, several are selected, looked at and decided', async () => {
  const ids = [await hold('first'), await hold('second'), await hold('third')]
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByText('3 actions waiting').waitFor()
  await expect.poll(() => page.title()).toBe('(3) Approvals · Action Gate')
  await page.locator(`#held-${ids[0]}[aria-current]`).waitFor()
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.locator(`#held-${ids[1]}[aria-current]`).waitFor()
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  await page.keyboard.press('a')
  const dialog = page.getByRole('dialog', { name: 'Approve 2 actions?' })
  await dialog.waitFor()
  const planned = dialog.getByRole('region', { name: 'What will happen' })
  expect(await planned.getByRole('listitem').count()).toBe(2)
  expect(await planned.getByText(/^sha256:[0-9a-f]{64}$/).count()).toBe(4)
  expect(await axeFindings(page)).toEqual([])
  const meanwhile = await hold('meanwhile')
  await page.keyboard.type('both are fine')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('dialog', { name: '2 decisions recorded' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('2 actions waiting').waitFor()
  expect(await Promise.all([...ids, meanwhile].map(statusOf))).toEqual([
    'execution_pending',
    'execution_pending',
    'pending_approval',
    'pending_approval',
  ])
  expect(person.complaints()).toEqual([])
})

test('several are not decided before every value of theirs is there', async () => {
  const more = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`aside_${at}`, `said ${at}`]))
  await hold('few values')
  const long = await hold('many values', 'high', 1, more)
  let letThrough = (): void => undefined
  const asked = new Promise<void>(resolve => {
    letThrough = resolve
  })
  await page.route(new RegExp(`/actions/${long}$`), async route => {
    await asked
    await route.continue()
  })
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByRole('button', { name: 'Select all shown' }).click()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Approve 2 actions?' })
  const approve = dialog.getByRole('button', { name: 'Approve and execute (2)' })
  await dialog.getByText('9 further values').waitFor()
  expect(await approve.isDisabled()).toBe(true)
  letThrough()
  const all = dialog.getByRole('region', { name: `All values of ${long}` })
  expect(await all.innerText()).toContain('"aside_19": "said 19"')
  expect(await axeFindings(page)).toEqual([])
  await approve.click()
  await page.getByRole('dialog', { name: '2 decisions recorded' }).waitFor()
  expect(await statusOf(long)).toBe('execution_pending')
  expect(person.complaints()).toEqual([])
})

test('one that somebody else decided meanwhile is told apart from what was recorded', async () => {
  const [one, two] = [await hold('first'), await hold('second')]
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByRole('button', { name: 'Select all shown' }).click()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Reject', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Reject 2 actions?' })
  await dialog.waitFor()
  await owner.browser.call('POST', owner.path(`/actions/${one}/approve`), { json: {} })
  await dialog.getByRole('button', { name: 'Reject (2)' }).click()
  const end = page.getByRole('dialog', { name: '1 decision recorded' })
  await end.getByText(`approved by ${owner.email}`).waitFor()
  expect([await statusOf(one), await statusOf(two)]).toEqual(['execution_pending', 'denied'])
  expect(person.complaints()).toEqual([])
})

test('the list is narrowed by words, a parameter and the risk', async () => {
  await hold('Refund a broken lamp', 'high', 250)
  await hold('Refund a late letter', 'medium', 7)
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByText('2 actions waiting').waitFor()
  const search = page.getByLabel('Search summary and parameters')
  await search.fill('LAMP refund')
  await page.getByText('1 action waiting').waitFor()
  expect(await search.evaluate(field => field === document.activeElement)).toBe(true)
  await search.fill('amount:7')
  await page.getByText('1 action waiting').waitFor()
  await search.fill('nothing')
  await page.getByText('0 actions waiting').waitFor()
  await search.fill('')
  await page.getByLabel('Risk', { exact: true }).selectOption('medium')
  await page.getByText('1 action waiting').waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(person.complaints()).toEqual([])
})
