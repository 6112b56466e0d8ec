import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperatorInvited } from '../../shared/contract/operator-schema.ts'
import { axeFindings, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { logInThere, personAtIssuer, unlock } from './sign-in.ts'

let issuer: TestIssuer
let service: TestService
let browser: TestBrowser
beforeAll(async () => {
  issuer = await startIssuer({ serviceUrl: () => service.url })
  service = await startService({ env: { SERVICE_LOGIN_LIMIT: '1000', ...issuer.consoleSetting() } })
  browser = await startBrowser(service.url)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
  await issuer?.close()
})

const person = () => personAtIssuer(browser, issuer)

async function join(page: Page, login: string, link: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('heading', { name: 'You are invited' }).waitFor()
  expect(new URL(page.url()).hash, 'the token leaves the address').toBe('')
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Accept with Example Login' }).click()
  await logInThere(page, login)
  await page.getByRole('heading', { level: 1, name: /queue/i }).waitFor()
}

async function invitation(label: string, role: string): Promise<string> {
  const { body } = await service.call<OperatorInvited>('POST', '/v1/operators', {
    admin: service.admin,
    json: { label, role },
  })
  return body.invitation_url
}

test('an invited operator signs in, works, and is there after a reload', async () => {
  const first = await browser.person()
  await unlock(first.page, service.admin)
  await first.page.getByRole('link', { name: 'Operators' }).click()
  await first.page.getByText('Nobody was invited yet').waitFor()
  await first.page.getByRole('button', { name: 'Invite operator' }).click()
  const dialog = first.page.getByRole('dialog')
  await dialog.getByLabel('Whom it is for').fill('Ann Admin')
  expect(await axeFindings(first.page)).toEqual([])
  await dialog.getByRole('button', { name: 'Make link' }).click()
  const shown = await dialog.getByText(/\/admin\/invitation#/).innerText()
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  expect(first.complaints()).toEqual([])

  const operator = await person()
  const { page } = operator
  await join(page, 'ann', /http\S+/.exec(shown)?.[0] ?? '')
  await page.getByText('Ann Admin').waitFor()
  await page.reload()
  await page.getByText('Ann Admin').waitFor()
  await page.getByRole('link', { name: 'Operators' }).click()
  await page.getByRole('row', { name: /Ann Admin.*ann/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(operator.complaints()).toEqual([])
}, 120_000)

test('who is on call sees and may not write, and is out once they are removed', async () => {
  const onCall = await person()
  const { page } = onCall
  await join(page, 'bob', await invitation('Bob On Call', 'on_call'))
  await page.getByText('On call: reads, and changes nothing').waitFor()
  await page.getByRole('link', { name: 'Operators' }).click()
  const row = page.getByRole('row', { name: /Bob On Call/ })
  await row.waitFor()
  expect(await page.getByRole('main').getByRole('button').allTextContents()).toEqual([])

  const operator = await person()
  await join(operator.page, 'cleo', await invitation('Cleo', 'operator'))
  await operator.page.getByRole('link', { name: 'Operators' }).click()
  await operator.page.getByRole('button', { name: 'Remove Bob On Call' }).click()
  onCall.expectComplaint(/401/)
  await operator.page.getByRole('button', { name: 'Remove operator', exact: true }).click()
  await operator.page.getByRole('row', { name: /Bob On Call.*Removed/ }).waitFor()
  await page.getByRole('link', { name: 'Queue' }).click()
  await page.getByText('Your session has ended').waitFor()
  expect(operator.complaints()).toEqual([])
  expect(onCall.complaints()).toEqual([])
}, 120_000)

test('a stranger is told to ask for an invitation', async () => {
  const stranger = await person()
  const { page } = stranger
  stranger.expectComplaint(/403/)
  await page.goto('/admin')
  await page.getByRole('button', { name: 'Sign in with Example Login' }).click()
  await logInThere(page, 'nobody')
  await page.getByText('Nobody invited this identity').waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(stranger.complaints()).toEqual([])
}, 120_000)
