import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { SlackState } from '../../shared/contract/slack-schema.ts'
import { webhookEnvironment } from '../support/fixtures/webhook-receiver.ts'
import { axeFindings, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { signUp, type TestOwner } from '../support/service/owner.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { signedHeaders, team } from '../support/service/slack.ts'
import { signIn } from './sign-in.ts'

let service: TestService
let browser: TestBrowser
let owner: TestOwner
const secret = '8f742231b10e8888abcd99000000f85a'
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  service = await startService({ env: { ...webhookEnvironment, SERVICE_HOSTED_ACCOUNTS: 'true' } })
  browser = await startBrowser(service.url)
  owner = await signUp(service.call)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

async function state(): Promise<SlackState> {
  return (await owner.browser.call<SlackState>('GET', owner.path('/slack'))).body
}

/** What the person types in Slack. */
async function sendCode(code: string): Promise<void> {
  const raw = String(new URLSearchParams({ team_id: team, user_id: 'U0ANN', text: code }))
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...signedHeaders(secret, raw) }
  const { body } = await service.call('POST', `/v1/slack/commands/${owner.tenant_id}`, { raw, headers })
  expect(body.text).toMatch(/^Linked\./)
}

test('an owner registers a Slack app, is linked by a code, and ends both', async () => {
  const person = await browser.person({ colorScheme: 'dark', width: 390, height: 844 })
  const { page } = person
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/routes`)
  await page.getByLabel('Workspace id').fill(team)
  await page.getByLabel('Signing secret').fill(secret)
  await page.getByRole('button', { name: 'Register the Slack app' }).click()
  await page.getByText(`/v1/slack/interactions/${owner.tenant_id}`).waitFor()
  expect(await page.getByLabel('Signing secret').inputValue()).toBe('')
  expect(await state()).toMatchObject({ app: { team_id: team }, link: null })

  await page.getByRole('button', { name: 'Link your Slack user' }).click()
  const code = await page.getByRole('status').locator('code').textContent()
  expect(await axeFindings(page)).toEqual([])
  await sendCode(code ?? '')
  await page.reload()
  await page.getByText('U0ANN').waitFor()
  await page.getByRole('button', { name: 'End the link' }).click()
  await page.getByText('No Slack user is linked to you here.').waitFor()
  expect((await state()).link).toBeNull()

  await page.getByRole('button', { name: 'Remove the Slack app' }).click()
  const dialog = page.getByRole('dialog')
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Remove it' }).click()
  await page.getByRole('button', { name: 'Register the Slack app' }).waitFor()
  expect(await state()).toEqual({ app: null, link: null })
  expect(person.complaints()).toEqual([])
})
