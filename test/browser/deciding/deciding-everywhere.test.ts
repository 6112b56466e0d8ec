import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { axeFindings, type Person, startBrowser, type TestBrowser } from '../../support/servers/browser.ts'
import { join } from '../../support/service/member.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { type ProposalChange, plainPolicy, proposal } from '../../support/service/tenant.ts'
import { openApprovals, signIn } from '../sign-in.ts'

let service: TestService
let browser: TestBrowser
let owner: TestOwner
let person: Person
let page: Page
vi.setConfig({ testTimeout: 120_000 })

/** Another application of the owner, with the key of its agent. */
let second: { tenant_id: string; agent: string }

const policy = { ...plainPolicy, allowed_systems: ['helpdesk'] }

beforeAll(async () => {
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '1000' },
    worker: null,
  })
  browser = await startBrowser(service.url)
}, 300_000)
beforeEach(async () => {
  owner = await signUp(service.call)
  const { body } = await owner.browser.call<{ tenant: { tenant_id: string }; api_key: string }>(
    'POST',
    '/v1/accounts/tenants',
    { json: { name: 'Second shop', template: 'support' } },
  )
  second = { tenant_id: body.tenant.tenant_id, agent: body.api_key }
  for (const tenant_id of [owner.tenant_id, second.tenant_id]) {
    const path = `/v1/accounts/tenants/${tenant_id}/policy`
    expect((await owner.browser.call('PUT', path, { json: policy })).status).toBe(200)
  }
  person = await browser.person()
  page = person.page
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

async function hold(change: ProposalChange, key = owner.agent): Promise<string> {
  const json = proposal({ system: 'helpdesk', operation: 'refund', risk: 'high', ...change })
  return (await service.call<{ action_id: string }>('POST', '/v1/actions', { key, json })).body.action_id
}

async function statusIn(tenantId: string, id: string): Promise<string> {
  const path = `/v1/accounts/tenants/${tenantId}/actions/${id}`
  return (await owner.browser.call<{ status: string }>('GET', path)).body.status
}

async function approverKey(): Promise<string> {
  const json = { name: 'night shift', scope: 'approver' }
  return (await owner.browser.call<{ api_key: string }>('POST', owner.path('/api-keys'), { json })).body
    .api_key
}

test('the page of an action tells what was asked before, and what would not be', async () => {
  const refused = await hold({ risk: 'medium' })
  await owner.browser.call('POST', owner.path(`/actions/${refused}/reject`), { json: {} })
  await hold({ risk: 'medium', operation: 'add_note' })
  const id = await hold({ risk: 'medium' })
  await openApprovals(page, await approverKey())
  await page.locator(`#held-${id}`).click()
  // The first of the list was open before: it was asked three times too.
  await page.locator(`#held-${id}[aria-current]`).waitFor()
  const told = page.getByRole('heading', { name: 'What was asked before' }).locator('..')
  await told.getByText('3 times').waitFor()
  const text = (await told.innerText()).replaceAll(/\s+/g, ' ')
  expect(text).toContain('this time included: 2 still waiting, 1 rejected.')
  expect(text).toContain('2 of them for refund on helpdesk: 1 still waiting, 1 rejected.')
  expect(text).toContain(
    'With the threshold at high nobody would be asked about it, nor about 2 others of these.',
  )
  expect(await axeFindings(page)).toEqual([])
  expect(person.complaints()).toEqual([])
})

test('groups are counted by the service, and narrow the list with the keyboard', async () => {
  await hold({ operation: 'add_note' })
  for (const amount of [1, 2]) await hold({ parameters: { amount } })
  await openApprovals(page, await approverKey())
  await page.getByText('3 actions waiting').waitFor()
  await page.getByLabel('Group by').selectOption('By operation')
  const groups = page.getByRole('region', { name: 'Groups' }).getByRole('button')
  await groups.first().waitFor()
  expect(await groups.allInnerTexts()).toEqual([
    expect.stringMatching(/refund\s*2/),
    expect.stringMatching(/add_note\s*1/),
  ])
  await groups.first().focus()
  await page.keyboard.press('Enter')
  await page.getByText('2 actions waiting').waitFor()
  expect(await groups.first().getAttribute('aria-pressed')).toBe('true')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.getByText('1 action waiting').waitFor()
  await page.keyboard.press('Space')
  await page.getByText('3 actions waiting').waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(person.complaints()).toEqual([])
})

test('a view is saved, chosen after a reload and in another application, and removed', async () => {
  await hold({ summary: 'a lamp' })
  await hold({ summary: 'a letter', risk: 'medium' })
  await hold({ summary: 'another lamp', risk: 'medium' }, second.agent)
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByText('2 actions waiting').waitFor()
  await page.getByLabel('Search summary and parameters').fill('lamp')
  await page.getByText('1 action waiting').waitFor()
  await page.getByRole('button', { name: 'Save view…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByLabel('Name').fill('Lamps')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove view' }).waitFor()
  await page.goto(`/app/a/${second.tenant_id}/approvals`)
  await page.getByText('1 action waiting').waitFor()
  const views = page.getByLabel('Saved view')
  await views.selectOption('Lamps')
  expect(await page.getByLabel('Search summary and parameters').inputValue()).toBe('lamp')
  await page.getByText('1 action waiting').waitFor()
  await page.getByRole('button', { name: 'Remove view' }).click()
  await expect.poll(() => views.locator('option').allInnerTexts()).toEqual(['Not saved'])
  expect(person.complaints()).toEqual([])
})

test('one list has what waits in all applications, and one batch decides in each', async () => {
  const here = await hold({ summary: 'in the first' })
  const there = await hold({ summary: 'in the second' }, second.agent)
  await signIn(page, owner)
  await page.getByRole('link', { name: 'All approvals' }).click()
  await page.getByText('2 actions waiting').waitFor()
  await page.locator(`#held-${there}`).getByText('Second shop').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Select all shown' }).click()
  await page.getByText('2 selected').waitFor()
  await page.keyboard.press('a')
  await page.getByRole('dialog', { name: 'Approve 2 actions?' }).waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('dialog', { name: '2 decisions recorded' }).waitFor()
  await page.keyboard.press('Escape')
  expect([await statusIn(owner.tenant_id, here), await statusIn(second.tenant_id, there)]).toEqual([
    'execution_pending',
    'execution_pending',
  ])
  expect(person.complaints()).toEqual([])
})

test('an approver of one application decides there, and sees nothing of the other', async () => {
  const member = await join(service.call, owner, {
    roles: [
      { tenant_id: second.tenant_id, role: 'approver' },
      { tenant_id: owner.tenant_id, role: 'auditor' },
    ],
  })
  await hold({ summary: 'not theirs' })
  const there = await hold({ summary: 'theirs' }, second.agent)
  await signIn(page, member)
  await page.getByRole('link', { name: 'All approvals' }).click()
  await page.getByText('1 action waiting').waitFor()
  await page.getByRole('heading', { level: 2, name: 'refund on helpdesk' }).waitFor()
  await page.getByRole('button', { name: 'Approve…' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByText(/^You approved refund on helpdesk/).waitFor()
  expect(await statusIn(second.tenant_id, there)).toBe('execution_pending')
  expect(person.complaints()).toEqual([])
})
