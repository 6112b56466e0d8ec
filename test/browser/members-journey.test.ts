import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from '../support/servers/browser.ts'
import { goodPassword } from '../support/service/owner.ts'
import { proposal } from '../support/service/tenant.ts'
import { type OwnerPages, startOwnerPages } from './owner-pages.ts'
import { signIn } from './sign-in.ts'

let pages: OwnerPages
beforeAll(async () => {
  pages = await startOwnerPages()
}, 300_000)
afterAll(() => pages?.close())

const places = (page: Page) => page.getByRole('navigation').first().getByRole('link').allInnerTexts()

/** Makes an invitation on the page; its link. */
async function inviteApprover(page: Page): Promise<string> {
  await page.goto('/app/members')
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Whom it is for').fill('Robin')
  await dialog.getByRole('checkbox', { name: /^Approver/ }).check()
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Make link' }).click()
  await dialog.getByText('You see this link once.').waitFor()
  const link = /http\S+\/app\/invitation#[\w-]{43}/.exec(await dialog.innerText())?.[0] ?? ''
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  return link
}

test('an approver joins by a link, decides, and is out when the role is gone', async () => {
  const { owner, browser, service } = pages
  const [one, two] = [await browser.person(), await browser.person()]
  two.expectComplaint(/40[149]/)
  await signIn(one.page, owner)
  const link = await inviteApprover(one.page)

  const { page } = two
  await page.goto(link)
  await page.getByText('Example Shop: Approver').waitFor()
  expect(new URL(page.url()).hash, 'the token leaves the address').toBe('')
  expect(await axeFindings(page)).toEqual([])
  await page.getByLabel('E-mail').fill('robin@example.org')
  await page.getByLabel('Password', { exact: true }).fill(goodPassword)
  await page.getByRole('button', { name: 'Accept and create account' }).click()
  await page.getByRole('heading', { name: 'Applications' }).waitFor()
  expect(await page.getByRole('button', { name: 'New application' }).count()).toBe(0)

  const json = proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high' })
  const held = await service.call<{ action_id: string }>('POST', '/v1/actions', { key: owner.agent, json })
  await page.getByRole('link', { name: /^Example Shop/ }).click()
  await page.getByRole('heading', { name: 'Approvals' }).waitFor()
  const all = [expect.stringMatching(/^Approvals/), 'Routes', 'Grants', 'Applications', 'All approvals']
  expect(await places(page)).toEqual(all)
  await page.goto(`/app/a/${owner.tenant_id}/approvals/${held.body.action_id}`)
  await page.getByRole('button', { name: /^Reject/ }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Reject/ })
    .click()
  await page
    .getByText(/rejected|denied/i)
    .first()
    .waitFor()

  await one.page.reload()
  await one.page.getByRole('button', { name: 'Roles of robin@example.org' }).click()
  const roles = one.page.getByRole('dialog')
  await roles.getByRole('checkbox', { name: /^Approver/ }).uncheck()
  await roles.getByRole('checkbox', { name: /^Auditor/ }).check()
  await roles.getByRole('button', { name: 'Save roles' }).click()
  await one.page.getByText('Example Shop: Auditor').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  const later = await browser.person()
  later.expectComplaint(/409/)
  await later.page.goto(link)
  await later.page.getByText('This invitation was accepted already.').waitFor()
  expect([...one.complaints(), ...two.complaints(), ...later.complaints()]).toEqual([])
})

test('an auditor reads what is held, and is shown nothing to change it with', async () => {
  const { owner, browser, service } = pages
  const reader = await browser.person()
  await signIn(reader.page, { email: 'robin@example.org', password: goodPassword })
  const json = proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high' })
  const held = await service.call<{ action_id: string }>('POST', '/v1/actions', { key: owner.agent, json })
  await reader.page.goto(`/app/a/${owner.tenant_id}/approvals/${held.body.action_id}`)
  await reader.page.getByRole('link', { name: 'Trace', exact: true }).waitFor()
  expect(await reader.page.getByRole('button', { name: /^(Approve|Reject)/ }).count()).toBe(0)
  expect(await reader.page.getByRole('checkbox', { name: 'Select, to decide together' }).count()).toBe(0)
  expect(await reader.page.getByRole('button', { name: /comment|changes/i }).count()).toBe(0)
  await reader.page.goto(`/app/a/${owner.tenant_id}/policy`)
  await reader.page.getByRole('tab', { name: 'Revisions' }).waitFor()
  expect(await reader.page.getByRole('tab').allInnerTexts()).toEqual(['In force', 'Revisions'])
  await reader.page.goto(`/app/a/${owner.tenant_id}/keys`)
  await reader.page.getByRole('heading', { name: 'API keys' }).waitFor()
  await reader.page.getByText(/agk_/).first().waitFor()
  expect(await reader.page.getByRole('button', { name: /key|Revoke/ }).count()).toBe(0)
  expect(await places(reader.page)).not.toContain('Members')
  expect(reader.complaints()).toEqual([])
})

test('a group has people by hand, and says when nobody is left', async () => {
  const { owner, browser } = pages
  const { page, complaints } = await browser.person()
  await signIn(page, owner)
  await page.goto('/app/members')
  await page.getByLabel('New group').fill('payments-leads')
  await page.getByRole('button', { name: 'Make group' }).click()
  await page.getByText('Nobody is in it').waitFor()
  await page.getByLabel('Add to payments-leads').selectOption({ label: owner.email })
  await page.getByRole('button', { name: `Take out ${owner.email} of payments-leads` }).waitFor()
  expect(await page.getByText('Nobody is in it').count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: `Take out ${owner.email} of payments-leads` }).click()
  await page.getByText('Nobody is in it').waitFor()
  expect(complaints()).toEqual([])
})
