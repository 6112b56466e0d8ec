import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Webhook } from '../../shared/contract/webhook.ts'
import { startReceiver, type TestReceiver, webhookEnvironment } from '../support/fixtures/webhook-receiver.ts'
import { axeFindings, type Person } from '../support/servers/browser.ts'
import { type MailServer, startMailServer } from '../support/servers/mail-server.ts'
import { join } from '../support/service/member.ts'
import { signUp } from '../support/service/owner.ts'
import { holdNote, type OwnerPages, startOwnerPages } from './owner-pages.ts'
import { signIn } from './sign-in.ts'

let mail: MailServer
let receiver: TestReceiver
let pages: OwnerPages
let person: Person
let page: Page
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  mail = await startMailServer({ user: 'gate', pass: 's3cret-mail' })
  receiver = await startReceiver()
  pages = await startOwnerPages({
    ...webhookEnvironment,
    SERVICE_SMTP_URL: mail.url,
    SERVICE_MAIL_FROM: 'gate@example.org',
  })
  // Its address is known once it listens.
  Object.assign(pages.service.context.config, { base_url: pages.service.url })
  person = await pages.browser.person()
  page = person.page
  await signIn(page, pages.owner)
}, 300_000)
afterAll(async () => {
  await pages?.close()
  await receiver?.close()
  await mail?.close()
})

async function notices(): Promise<Webhook[]> {
  const { browser, path } = pages.owner
  return (await browser.call<{ webhooks: Webhook[] }>('GET', path('/webhooks'))).body.webhooks
}

const openNotices = () => page.goto(`/app/a/${pages.owner.tenant_id}/notices`)

test('an owner has an e-mail sent of what waits, with reminders, and sees that it came', async () => {
  await openNotices()
  await page.getByText('People see what waits when they open the approvals.').waitFor()
  await page.getByRole('button', { name: 'New notice' }).click()
  const form = page.getByRole('form', { name: 'New notice' })
  await form.getByLabel('E-mail address').fill('lead@example.org')
  await form.getByLabel(/^Remind while it waits/).fill('60, x')
  await form.getByText('Write numbers with commas between.').waitFor()
  expect(await form.getByRole('button', { name: 'Save notice' }).isDisabled()).toBe(true)
  await form.getByLabel(/^Remind while it waits/).fill('60, 240')
  await form.getByLabel('Note').fill('who is on duty')
  expect(await axeFindings(page)).toEqual([])
  await form.getByRole('button', { name: 'Save notice' }).click()
  await page.getByText('Reminds after 60, 240 minutes').waitFor()
  expect(await notices()).toMatchObject([
    {
      url: 'mailto:lead@example.org',
      event_types: ['action.pending_approval', 'action.reminder'],
      remind_after_ms: [3_600_000, 14_400_000],
      description: 'who is on duty',
    },
  ])
  const id = await holdNote(pages)
  const [sent] = await mail.received(1)
  expect(sent?.text).toContain(`Decide: ${pages.service.url}/approve/${pages.owner.tenant_id}/${id}`)
  expect(sent?.text).not.toContain('4711')
  await page.reload()
  await page.getByText('Last messages').click()
  await page.getByText('Delivered', { exact: true }).waitFor()
  await page.getByText('An action still waits').first().waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(person.complaints()).toEqual([])
})

test('a chat’s URL is sealed, and stays when another setting is changed', async () => {
  await openNotices()
  await page.getByRole('button', { name: 'New notice' }).click()
  const form = page.getByRole('form', { name: 'New notice' })
  await form.getByLabel('How').selectOption('slack')
  await form.getByLabel('Webhook URL of Slack').fill(`${receiver.url}/services/T0/B0/secret`)
  await form.getByRole('button', { name: 'Save notice' }).click()
  const change = page.getByRole('button', { name: /^Change 127\.0\.0\.1/ })
  await change.click()
  const changing = page.getByRole('form', { name: 'Change notice' })
  expect(await changing.getByLabel('Webhook URL of Slack').inputValue()).toMatch(/\/sha256:[0-9a-f]{64}$/)
  await changing.getByLabel('Nobody knows what became of an action').check()
  await changing.getByRole('button', { name: 'Save notice' }).click()
  await page.getByText(/Nobody knows what became of an action/).waitFor()
  expect(await page.content()).not.toContain('B0/secret')
  await holdNote(pages)
  const [posted] = await receiver.received(1)
  expect(posted?.raw).toContain('add_note on helpdesk waits for a decision')
  await page.getByRole('button', { name: /^Delete 127\.0\.0\.1/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete notice' }).click()
  await expect.poll(async () => (await notices()).map(({ format }) => format)).toEqual(['email'])
})

test('a program’s secret is shown once, and a refused address says why', async () => {
  person.expectComplaint(/400/)
  await openNotices()
  await page.getByRole('button', { name: 'New notice' }).click()
  const form = page.getByRole('form', { name: 'New notice' })
  await form.getByLabel('How').selectOption('signed')
  await form.getByLabel('URL').fill('https://10.0.0.1/hook')
  await form.getByRole('button', { name: 'Save notice' }).click()
  await form.getByRole('alert').waitFor()
  await form.getByLabel('URL').fill('https://hooks.example.org/gate')
  await form.getByRole('button', { name: 'Save notice' }).click()
  await page.getByText('You see this secret once.').waitFor()
  await page.getByText(/whsec_/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await openNotices()
  await page.getByText('https://hooks.example.org/gate', { exact: true }).waitFor()
  expect(await page.getByText(/whsec_/).count()).toBe(0)
})

test('an auditor reads the notices and is offered no change', async () => {
  const { owner, browser, service } = pages
  const roles = [{ tenant_id: owner.tenant_id, role: 'auditor' as const }]
  const auditor = await join(service.call, owner, { roles })
  const reader = await browser.person()
  await signIn(reader.page, auditor)
  await reader.page.goto(`/app/a/${owner.tenant_id}/notices`)
  await reader.page.getByText('lead@example.org', { exact: true }).waitFor()
  expect(await reader.page.getByRole('button', { name: /Change|Delete|New notice/ }).count()).toBe(0)
  expect(reader.complaints()).toEqual([])
})

test('who has forgotten a password chooses a new one by an e-mail', async () => {
  const { service, browser } = pages
  const email = 'forgetful@example.org'
  await signUp(service.call, { email })
  await signUp(service.call, { email, organization: 'Second Shop', password: 'another long phrase' })
  const forgetful = await browser.person()
  forgetful.expectComplaint(/40[04]/)
  const { page } = forgetful
  await page.goto('/app/login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('E-mail').fill(email)
  expect(await axeFindings(page)).toEqual([])
  mail.mails.length = 0
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByText('Check your e-mail.').waitFor()
  const link = (await mail.received(1))[0]?.text?.match(/http\S+/g)?.[1] ?? ''
  await page.goto(link)
  await page.getByText(`For ${email}.`).waitFor()
  expect(new URL(page.url()).hash, 'the token leaves the address').toBe('')
  await page.getByRole('radio', { name: 'Second Shop' }).check()
  expect(await axeFindings(page)).toEqual([])
  await page.getByLabel('Password', { exact: true }).fill('aaaaaaaaaaaaaaaa')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('This password has few different characters.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill('my third long phrase')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('You are signed out everywhere.').waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signIn(page, { email, password: 'my third long phrase' })
  await page.getByRole('link', { name: /^Second Shop/ }).waitFor()

  await page.goto(link)
  await page.getByText('This link was used, is too old').waitFor()
  expect(forgetful.complaints()).toEqual([])
})
