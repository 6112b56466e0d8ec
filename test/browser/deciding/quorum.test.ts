import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { axeFindings, type Person } from '../../support/servers/browser.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'
import { type OwnerPages, startSignedIn } from '../owner-pages.ts'

let pages: OwnerPages
let person: Person
let page: Page
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  ;({ pages, person, page } = await startSignedIn())
}, 300_000)
afterAll(() => pages?.close())

/** An action that two people must approve, with its page open. */
async function openHeldForTwo(): Promise<string> {
  const { service, owner } = pages
  const policy = { ...plainPolicy, allowed_systems: ['helpdesk'], approvals_required: 2 }
  await owner.browser.call('PUT', owner.path('/policy'), { json: policy })
  const asked = proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high' })
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json: asked,
  })
  await page.goto(`/app/a/${owner.tenant_id}/approvals/${body.action_id}`)
  await page.getByText('Live', { exact: true }).waitFor()
  return body.action_id
}

test('an owner gives the first of two approvals, reads so, and sees the other come', async () => {
  const { service, owner } = pages
  const actionId = await openHeldForTwo()
  const standing = page.getByRole('region', { name: 'Approvals so far' })
  await standing.getByText('0 of 2 approvals given').waitFor()
  await page.getByRole('button', { name: 'Approve…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/approval 1 of 2.*not executed until 2 different people/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('textbox').fill('checked the ticket')
  await dialog.getByRole('button', { name: 'Approve (1 of 2)', exact: true }).click()

  await standing.getByText('1 of 2 approvals given').waitFor()
  await standing.getByText(/^You, as/).waitFor()
  await standing.getByText(/checked the ticket/).waitFor()
  await standing.getByText(/not executed before 1 more person approves it/).waitFor()
  const approve = page.getByRole('button', { name: 'Approve…' })
  expect(await approve.isDisabled()).toBe(true)
  await page.getByText('You approved this already').waitFor()
  expect(await page.getByRole('button', { name: 'Reject…' }).isEnabled()).toBe(true)
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('a')
  expect(await dialog.count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])

  const { body: minted } = await service.call<{ api_key: string }>(
    'POST',
    `/v1/tenants/${owner.tenant_id}/api-keys`,
    { admin: service.admin, json: { name: 'night shift', scope: 'approver' } },
  )
  await service.call('POST', `/v1/actions/${actionId}/approve`, { key: minted.api_key, json: {} })
  await page.getByText(/night shift.* approved this/i).waitFor()
  await page.goto(`/app/a/${owner.tenant_id}/history/${actionId}`)
  await page.getByText('Approved: 1 of 2', { exact: true }).waitFor()
  await page.getByText('Approved: 2 of 2', { exact: true }).waitFor()
  await page
    .getByText(new RegExp(`${owner.email}.* and night shift.* approved it`))
    .first()
    .waitFor()
  expect(person.complaints()).toEqual([])
})

test('the page does not ask again for an approval that another tab gave', async () => {
  const { owner } = pages
  const actionId = await openHeldForTwo()
  await page.getByRole('button', { name: 'Approve…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/approval 1 of 2/).waitFor()
  await owner.browser.call('POST', owner.path(`/actions/${actionId}/approve`), { json: {} })
  await dialog.getByText(/You have approved it already.* 1 more person/).waitFor()
  expect(await dialog.getByText(/executed right away/).count()).toBe(0)
  expect(await dialog.getByRole('button', { name: /approve/i }).count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByText('You approved this already').waitFor()
  expect(person.complaints()).toEqual([])
})

test('the form of a policy says how many have to approve, and what that changes', async () => {
  const { owner } = pages
  await page.goto(`/app/a/${owner.tenant_id}/policy?tab=edit`)
  const choice = page.getByLabel('How many have to approve')
  await choice.waitFor()
  await choice.selectOption({ label: 'One approval' })
  await page.getByText(/takes fewer approvals: 2 until now, 1 then/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(person.complaints()).toEqual([])
})
