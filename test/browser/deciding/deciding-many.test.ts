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
  expect(await planned.getByRole('rowheader').count()).toBe(2)
  const digests = planned.getByText(/^sha256:[0-9a-f]{64}$/)
  expect([await digests.count(), await digests.first().isVisible()]).toEqual([4, false])
  await planned.getByText('Digests').nth(1).click()
  expect(await digests.first().isVisible()).toBe(true)
  await dialog.getByText('You have seen the whole table').waitFor()
  expect(await axeFindings(page)).toEqual([])
  const meanwhile = await hold('meanwhile')
  await dialog.getByRole('textbox').focus()
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
  await dialog.getByText('Reading every value of these actions').waitFor()
  expect(await approve.isDisabled()).toBe(true)
  letThrough()
  const planned = dialog.getByRole('region', { name: 'What will happen' })
  const row = planned.getByRole('row').filter({ hasText: '"said 0"' })
  const shown = await row.innerText()
  for (const value of Object.values(more)) expect(shown).toContain(`"${value}"`)
  await dialog.getByRole('button', { name: 'Go to the end of the table' }).click()
  await expect.poll(() => approve.isEnabled()).toBe(true)
  expect(await axeFindings(page)).toEqual([])
  await approve.click()
  await page.getByRole('dialog', { name: '2 decisions recorded' }).waitFor()
  expect(await statusOf(long)).toBe('execution_pending')
  expect(person.complaints()).toEqual([])
})

/** Enough that a table of them has to be scrolled, one of them to be looked at first. */
async function holdMany(): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < 14; at += 1)
    ids.push(await hold(`no ${at}`, 'high', 10.1, { currency: 'EUR', order: { id: `order-${at}` } }))
  ids.push(await hold('the odd one', 'high', 9_000, { currency: 'EUR', order: { id: '\u043erder-0' } }))
  return ids
}

async function askAll(narrow: boolean) {
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByRole('button', { name: 'Select all shown' }).click()
  await page.getByText('15 selected').waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Approve 15 actions?' })
  const list = dialog.getByRole('region', { name: 'What will happen' })
  await list
    .getByRole(narrow ? 'listitem' : 'rowheader')
    .first()
    .waitFor()
  return { dialog, list, approve: dialog.getByRole('button', { name: 'Approve and execute (15)' }) }
}

test('a table of many tells what stands out and its sums, and waits for its end', async () => {
  const ids = await holdMany()
  const { dialog, list, approve } = await askAll(false)
  expect(await list.getByRole('columnheader').allInnerTexts()).toEqual([
    'Action',
    'amount',
    'order.id',
    'Digests',
  ])
  const first = list.getByRole('row').nth(1)
  expect(await first.innerText()).toContain('amount is 891 times the median')
  expect(await first.innerText()).toContain('order.id has characters that mislead')
  const sums = await dialog.getByRole('region', { name: 'Sums' }).innerText()
  expect(sums).toContain('9,141.4 EUR in 15 actions')
  const same = await dialog.getByRole('region', { name: 'The same in all' }).innerText()
  expect(same.replaceAll(/\s+/g, ' ')).toContain('currency "EUR"')
  await dialog.getByText('First look at the whole table, to its last row').waitFor()
  expect(await approve.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').press('Control+Enter')
  expect(await axeFindings(page)).toEqual([])

  await list.focus()
  await page.keyboard.press('End')
  await dialog.getByText('You have seen the whole table. You can decide now.').waitFor()
  expect(await approve.isEnabled()).toBe(true)
  expect(await statusOf(ids[0] ?? '')).toBe('pending_approval')
  await dialog.getByRole('textbox').press('Control+Enter')
  await page.getByRole('dialog', { name: '15 decisions recorded' }).waitFor()
  expect(person.complaints()).toEqual([])
})

test('on a narrow screen each is a block, and a button leads to the end', async () => {
  await holdMany()
  await page.setViewportSize({ width: 390, height: 844 })
  const { dialog, list, approve } = await askAll(true)
  expect(await list.evaluate(box => box.scrollWidth - box.clientWidth)).toBe(0)
  expect(await approve.isDisabled()).toBe(true)
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Go to the end of the table' }).press('Enter')
  await list.getByText('That is the last of 15 actions.').and(page.locator(':focus')).waitFor()
  await expect.poll(() => approve.isEnabled()).toBe(true)
  expect(person.complaints()).toEqual([])
})

test('on a narrow screen the first action is in view, and filters are behind a button', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  const id = await hold('Refund a broken lamp', 'high', 45, { currency: 'EUR', order: { id: 'order-7' } })
  await hold('Refund a letter', 'high', 46, { currency: 'EUR' })
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  const row = page.locator(`#held-${id}`)
  await row.waitFor()
  const box = await row.boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844)
  const told = (await row.innerText()).replaceAll(/\s+/g, ' ')
  expect(told).toContain('agent-1: Refund a broken lamp')
  expect(told.match(/45 EUR/g)).toHaveLength(1)
  expect(told.match(/order-7/g)).toHaveLength(1)
  const search = page.getByLabel('Search summary and parameters')
  expect(await search.isVisible()).toBe(false)
  const button = page.getByRole('button', { name: 'Filters' })
  await button.press('Enter')
  await search.fill('lamp')
  await button.press('Enter')
  await page.getByRole('button', { name: 'Filters (1)', expanded: false }).waitFor()
  await page.getByText('1 action waiting').waitFor()
  expect(await axeFindings(page)).toEqual([])

  await row.click()
  const bar = page.getByRole('article').locator('footer')
  await bar.getByText('45 EUR').waitFor()
  expect(await bar.evaluate(foot => foot.getBoundingClientRect().bottom <= window.innerHeight)).toBe(true)
  const detail = await page.getByRole('article').locator('> div').innerText()
  expect(detail.match(/order-7/g)).toHaveLength(1)
  expect(await axeFindings(page)).toEqual([])
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
