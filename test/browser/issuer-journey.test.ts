import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditExport } from '../../shared/contract/action/action.ts'
import { axeFindings, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal } from '../support/service/tenant.ts'
import { logInThere, personAtIssuer } from './sign-in.ts'

let issuer: TestIssuer
let service: TestService
let browser: TestBrowser
beforeAll(async () => {
  issuer = await startIssuer({ serviceUrl: () => service.url })
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '1000', ...issuer.setting() },
  })
  browser = await startBrowser(service.url)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
  await issuer?.close()
})

const person = () => personAtIssuer(browser, issuer)

test('an owner signs up at an issuer, decides, and the proof says who it was', async () => {
  const owner = await person()
  const { page } = owner
  await page.goto('/app/signup')
  await page.getByRole('button', { name: 'Continue with Example Login' }).click()
  await page.getByText('give the organization a name').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByLabel('Name of your organization').fill('Example Shop')
  await page.getByRole('button', { name: 'Continue with Example Login' }).click()
  await logInThere(page, 'ann')
  await page.getByRole('heading', { name: 'Applications' }).waitFor()
  expect(new URL(page.url()).search, 'the code leaves the address').toBe('')

  await page.getByRole('button', { name: 'New application' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Shop')
  await dialog.getByRole('radio', { name: /customer support/i }).check()
  await dialog.getByRole('button', { name: /create/i }).click()
  const shown = await page
    .getByText(/agk_[a-z2-7]{16}\.\S{49}/)
    .first()
    .innerText()
  await page.getByRole('button', { name: 'I have stored it' }).click()

  const { action_id } = await hold(/agk_\S+/.exec(shown)?.[0] ?? '')
  const home = new URL(page.url()).pathname
  await page.goto(`${home}/approvals/${action_id}`)
  await page.getByRole('button', { name: /^Approve/ }).click()
  const deciding = page.getByRole('dialog')
  await deciding.getByRole('button', { name: 'Approve and execute' }).click()
  // The dialog says "executed" too, and stays until the decision is answered.
  await deciding.waitFor({ state: 'detached' })
  await page
    .getByText(/executed/i)
    .first()
    .waitFor()
  await page.goto(`${home}/history/${action_id}`)
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page
    .getByText(/verified/i)
    .first()
    .waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: /download/i }).click()
  const file = await (await downloading).path()
  const { events } = JSON.parse(await readFile(file, 'utf8')) as AuditExport
  expect(events.map(({ payload }) => payload)).toContainEqual(
    expect.objectContaining({ identity: expect.objectContaining({ issuer: issuer.url, subject: 'ann' }) }),
  )

  await page.goto('/app/account')
  await page.getByText('Known there as').waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(owner.complaints()).toEqual([])
}, 120_000)

test('an owner comes back to the page they wanted, and leaves service and issuer', async () => {
  const owner = await person()
  const { page } = owner
  await page.goto('/app/signup')
  await page.getByLabel('Name of your organization').fill('Second Shop')
  await page.getByRole('button', { name: 'Continue with Example Login' }).click()
  await logInThere(page, 'bob')
  await page.getByRole('heading', { name: 'Applications' }).waitFor()
  await page.goto('/app/account')
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Leave Example Login?' }).waitFor()

  await page.goto('/app/account')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with Example Login' }).click()
  await page.getByRole('heading', { name: /^(Account|Example Login)$/ }).waitFor()
  if (page.url().startsWith(issuer.url)) await logInThere(page, 'bob')
  await page.getByRole('heading', { name: 'Account' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/app/account')
  expect(owner.complaints()).toEqual([])
}, 120_000)

test('a stranger is told what to do, and a link that was used is refused', async () => {
  const stranger = await person()
  const { page } = stranger
  stranger.expectComplaint(/403/)
  await page.goto('/app/login')
  await page.getByRole('button', { name: 'Sign in with Example Login' }).click()
  const returning = page.waitForRequest(request => request.url().includes('/app/signed-in/'))
  await logInThere(page, 'nobody')
  const link = (await returning).url()
  await page.getByRole('heading', { name: 'Not signed in' }).waitFor()
  await page.getByText('Nobody here is known by this identity yet').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.goto(link)
  await page.getByText('This sign-in does not hold').waitFor()
  await page.goto('/app/applications')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(stranger.complaints()).toEqual([])
}, 120_000)

async function hold(key: string): Promise<{ action_id: string }> {
  const asked = proposal({ risk: 'medium', system: 'payments', operation: 'refund' })
  const parameters = { amount: 30, currency: 'EUR', order: { id: 'A-1' } }
  const json = { ...asked, action: { ...asked.action, parameters } }
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', { key, json })
  return body
}
