import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { axeFindings, type Person } from '../../support/servers/browser.ts'
import { join } from '../../support/service/member.ts'
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

/** An action that one of the leads and one of security must approve, with its page open. */
async function openHeld(leads: object[]): Promise<string> {
  const { service, owner } = pages
  const put = (path: string, json: object) => owner.browser.call('PUT', owner.path(path), { json })
  await put('/groups/leads', { members: leads })
  await put('/groups/security', { members: [] })
  const required = ['leads', 'security'].map(group => ({ group, approvals: 1 }))
  await put('/routes/leads', { required })
  await put('/policy', { ...plainPolicy, allowed_systems: ['helpdesk'] })
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json: proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high' }),
  })
  await page.goto(`/app/a/${owner.tenant_id}/approvals/${body.action_id}`)
  await page.getByText('Live', { exact: true }).waitFor()
  return body.action_id
}

test('somebody outside the route reads what is missing, and why they cannot decide', async () => {
  const actionId = await openHeld([])
  const route = page.getByRole('region', { name: 'Route' })
  await route.getByText('Route leads: 1 of leads and 1 of security missing').waitFor()
  await route.getByText(/leads and security have no members/).waitFor()
  await page.getByText(/The route leads does not name you/).waitFor()
  for (const name of ['Approve…', 'Reject…', 'Comment…'])
    expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
  await page.keyboard.press('r')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page
    .locator(`#held-${actionId}`)
    .getByText(/1 of leads and 1 of security missing/)
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(person.complaints()).toEqual([])
})

test('somebody on the route approves for their group, and reads what is left', async () => {
  const { account_id } = pages.owner
  await openHeld([{ account_id }])
  await page.getByRole('button', { name: 'Approve…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve (1 of 2)', exact: true }).click()
  const route = page.getByRole('region', { name: 'Route' })
  await route.getByText('Route leads: 1 of security missing').waitFor()
  await route.getByText(/security has no members/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(person.complaints()).toEqual([])
})

test('an owner makes a group and a route with the forms, and reads who is missing', async () => {
  const { owner, service } = pages
  const { account_id, email } = await join(service.call, owner, {})
  await owner.browser.call('POST', '/v1/accounts/groups', { json: { name: 'on-duty' } })
  await page.goto(`/app/a/${owner.tenant_id}/routes`)
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByLabel('Name of the group').fill('owners')
  await page.getByLabel(new RegExp(`${owner.email} \\(Owner, `)).check()
  await page.getByLabel(`${email} (no role here, ${account_id})`).check()
  await page.getByRole('button', { name: 'Save group' }).click()
  await page.getByRole('button', { name: 'Change owners' }).waitFor()
  await page.getByRole('link', { name: 'Members (on-duty)' }).waitFor()
  await page.getByRole('button', { name: 'New route' }).click()
  await page.getByLabel('Name of the route').fill('by-owners')
  await page.getByLabel('Of the group').selectOption('owners')
  await page.getByLabel('Who helps when nobody decides').selectOption('on-duty')
  await page.getByLabel('Hours before they are asked').fill('2')
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Save route' }).click()
  await page.getByText('1 of owners').waitFor()
  await page
    .getByText(/Nobody is in on-duty/)
    .first()
    .waitFor()
  const { body } = await owner.browser.call<{ routes: object[] }>('GET', owner.path('/routes'))
  expect(body.routes).toContainEqual(
    expect.objectContaining({
      name: 'by-owners',
      required: [{ group: 'owners', approvals: 1 }],
      escalate: { after_ms: 7_200_000, group: 'on-duty' },
    }),
  )
  expect(person.complaints()).toEqual([])
})

test('who is named as a delegate reads it above what waits, and declines', async () => {
  const { owner, service } = pages
  const roles = [{ tenant_id: owner.tenant_id, role: 'approver' as const }]
  const away = await join(service.call, owner, { roles })
  const json = {
    delegate: { account_id: owner.account_id },
    until: new Date(Date.now() + 86_400_000).toISOString(),
  }
  await away.browser.call('PUT', owner.path('/absence'), { json })
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  const told = page.getByRole('list', { name: 'You stand in' })
  await told.getByText(`You decide in the place of ${away.email}`).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await told.getByRole('button', { name: 'Decline' }).click()
  await told.waitFor({ state: 'detached' })
  const { body } = await away.browser.call('GET', owner.path('/absence'))
  expect(body).toEqual({ own: null, acts_for: [] })
  expect(person.complaints()).toEqual([])
})
