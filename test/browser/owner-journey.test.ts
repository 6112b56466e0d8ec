import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditExport } from '../../shared/contract/action/action.ts'
import { axeFindings, type Person, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal } from '../support/service/tenant.ts'

let service: TestService
let browser: TestBrowser
beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
  browser = await startBrowser(service.url)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

test('an owner signs up, approves an action, sees it executed and checks the proof', async () => {
  const owner = await browser.person()
  const { page } = owner
  const key = await signUpAndKeepKey(owner)
  await page
    .getByText(/waiting for your agent/i)
    .first()
    .waitFor()
  expect(await axeFindings(page)).toEqual([])

  const held = refund(30)
  const { body } = await service.call('POST', '/v1/actions', { key, json: held })
  expect(body).toMatchObject({ decision: 'needs_approval' })
  await page
    .getByRole('link', { name: /approv/i })
    .first()
    .waitFor()
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Approvals/ })
    .click()
  await page.getByRole('heading', { level: 2, name: /refund on/i }).waitFor()
  expect(await axeFindings(page)).toEqual([])

  await page.getByRole('button', { name: /^Approve/ }).click()
  const dialog = page.getByRole('dialog')
  // Two digests: of what was proposed, and of the request that would be sent.
  await dialog
    .getByText(/^sha256:[0-9a-f]{64}$/)
    .nth(1)
    .waitFor()
  await dialog.getByRole('textbox', { name: /note/i }).fill('looked at the order')
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Approve and execute' }).click()
  // The dialog says "executed" too, and stays until the decision is answered.
  await dialog.waitFor({ state: 'detached' })
  await page
    .getByText(/executed/i)
    .first()
    .waitFor()

  await page.goto(`${new URL(page.url()).pathname.replace(/\/approvals.*/, '')}/history/${body.action_id}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByText('looked at the order').first().waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page
    .getByText(/verified/i)
    .first()
    .waitFor()
  expect(await axeFindings(page)).toEqual([])

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: /download/i }).click()
  const file = await (await downloading).path()
  const exported = JSON.parse(await readFile(file, 'utf8')) as AuditExport
  expect(exported.action_id).toBe(body.action_id)
  expect(owner.complaints()).toEqual([])
}, 120_000)

/** Through the form, as a person would; the key that was shown. */
async function signUpAndKeepKey({ page }: Person): Promise<string> {
  await page.goto('/app')
  await page.getByRole('link', { name: /create|sign up/i }).click()
  await page.getByLabel('E-mail').fill('owner@example.org')
  await page.getByLabel('Password', { exact: true }).fill('a long phrase nobody guesses')
  await page.getByLabel('Organization').fill('Example Shop')
  await page.getByRole('radio', { name: /customer support/i }).check()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Connect your tool' }).waitFor()
  const connect = page.getByRole('main').getByRole('link', { name: 'Connect your tool' })
  expect(await connect.getAttribute('href')).toMatch(/\/tools\/add$/)
  const shown = await page
    .getByText(/agk_[a-z2-7]{16}\.\S{49}/)
    .first()
    .innerText()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'I have stored it' }).click()
  return /agk_\S+/.exec(shown)?.[0] ?? ''
}

/** Within the template's bounds, of a risk that a person decides about. */
function refund(amount: number) {
  const asked = proposal({
    summary: 'Refund for an order that arrived damaged',
    risk: 'medium',
    system: 'payments',
  })
  return {
    ...asked,
    action: {
      ...asked.action,
      operation: 'refund',
      parameters: { amount, currency: 'EUR', order: { id: 'A-1' } },
    },
  }
}
