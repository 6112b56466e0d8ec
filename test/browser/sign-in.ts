import type { Page } from 'playwright-core'
import type { Person, TestBrowser } from '../support/servers/browser.ts'
import type { TestIssuer } from '../support/servers/issuer.ts'
import type { Login } from '../support/service/owner.ts'

/** Sign in through the form, as a person would; ends at the list of applications. */
export async function signIn(page: Page, { email, password }: Login): Promise<void> {
  await page.goto('/app/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: /applications/i }).waitFor()
}

/** Open the page of approvers with a key; ends at the list. */
export async function openApprovals(page: Page, approverKey: string): Promise<void> {
  await page.goto('/approve')
  await page.getByLabel('Approver key').fill(approverKey)
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
}

/** Unlock the operator's console; ends at the queue. */
export async function unlock(page: Page, adminKey: string): Promise<void> {
  await page.goto('/admin')
  await page.getByLabel(/admin key/i).fill(adminKey)
  await page.getByRole('button', { name: /unlock/i }).click()
  await page.getByRole('heading', { level: 1, name: /queue/i }).waitFor()
}

/** Somebody whose browser may go to the issuer, which has no icon for its page. */
export async function personAtIssuer(browser: TestBrowser, issuer: TestIssuer): Promise<Person> {
  const person = await browser.person()
  person.expectComplaint(new RegExp(`^request to ${issuer.url}/`))
  person.expectComplaint(/404/)
  return person
}

/** Log in on the page of the issuer, which sends the browser back. */
export async function logInThere(page: Page, login: string): Promise<void> {
  await page.getByRole('heading', { name: 'Example Login' }).waitFor()
  await page.getByLabel('Name').fill(login)
  await page.getByRole('button', { name: 'Log in' }).click()
}
