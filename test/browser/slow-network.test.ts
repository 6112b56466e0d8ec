import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Person } from '../support/servers/browser.ts'
import { type OwnerPages, startOwnerPages } from './owner-pages.ts'
import { signIn, unlock } from './sign-in.ts'

let pages: OwnerPages
let person: Person
let page: Page
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  pages = await startOwnerPages()
}, 300_000)
beforeEach(async () => {
  person = await pages.browser.person()
  page = person.page
})
afterAll(() => pages?.close())

test('Escape does not leave a dialog whose request will bring the secret of a key', async () => {
  const { dialog, release } = await makeKey('slow one')
  await expectStaying()
  release()
  await dialog.getByText(/Store the agent key/).waitFor()
  expect(person.complaints()).toEqual([])
})

test('Escape does not cancel what an operator confirmed, and its end is shown', async () => {
  await unlock(page, pages.service.admin)
  await page.getByRole('link', { name: 'Tenants' }).click()
  await page.getByRole('link', { name: pages.owner.tenant_id }).first().click()
  await page.getByRole('tab', { name: 'Freezes and pauses' }).click()
  await page.getByRole('button', { name: /^Freeze/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('an incident')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const held = holdWrites('/freeze')
  await dialog.getByRole('button', { name: 'Freeze' }).click()
  const release = await held
  await expectStaying()
  release()
  await page.getByText('Frozen', { exact: true }).first().waitFor()
  await page.getByRole('dialog', { name: 'Freeze this?' }).waitFor({ state: 'detached' })
  expect(person.complaints()).toEqual([])
})

test('a dialog whose request is never answered says so and can be left', async () => {
  await page.addInitScript(() => {
    const soon = AbortSignal.timeout.bind(AbortSignal)
    AbortSignal.timeout = ms => soon(ms / 100)
  })
  const { dialog } = await makeKey('lost one')
  await dialog
    .getByRole('alert')
    .getByText(/cannot be reached/)
    .waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
})

/** The dialog in which a key is being made, and what lets its request go on. */
async function makeKey(name: string): Promise<{ dialog: Locator; release(): void }> {
  await signIn(page, pages.owner)
  await page.goto(`/app/a/${pages.owner.tenant_id}/keys`)
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  const held = holdWrites('/api-keys')
  await dialog.getByRole('button', { name: 'Make key' }).click()
  return { dialog, release: await held }
}

/** Once a write to such a path was sent: what lets it go on. */
function holdWrites(ending: string): Promise<() => void> {
  return new Promise(resolve => {
    const hold = async (route: Route): Promise<void> => {
      if (route.request().method() !== 'GET') await new Promise<void>(release => resolve(release))
      await route.continue()
    }
    void page.route(`**${ending}`, hold)
  })
}

/** Once the page shows that its request is under way: neither Escape nor a button that says Cancel pretends that it is not. */
async function expectStaying(): Promise<void> {
  const dialog = page.getByRole('dialog')
  const back = dialog.getByRole('button', { name: /^(Cancel|Back)$/ })
  await expect.poll(() => back.isDisabled(), { timeout: 10_000 }).toBe(true)
  await page.keyboard.press('Escape')
  expect(await back.isDisabled()).toBe(true)
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
}
