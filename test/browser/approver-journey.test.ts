import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { axeFindings, type Person, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal, type TestTenant } from '../support/service/tenant.ts'

let service: TestService
let browser: TestBrowser
let tenant: TestTenant
let person: Person
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  service = await startService({})
  browser = await startBrowser(service.url)
}, 300_000)
beforeEach(async () => {
  tenant = await service.tenant()
  person = await browser.person()
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

test('an approver opens the review URL with a key, approves and sees the end', async () => {
  const { page } = person
  const { action_id, review_url } = await hold('first')
  expect(review_url).toBe(`/approve/${tenant.id}/${action_id}`)
  await page.goto(review_url)
  await page.getByRole('heading', { level: 1, name: 'Decide about an action' }).waitFor()
  const dashboard = page.getByRole('link', { name: 'Decide in the dashboard' })
  expect(await dashboard.getAttribute('href')).toBe(`/app/a/${tenant.id}/approvals/${action_id}`)
  expect(await axeFindings(page)).toEqual([])
  await open(tenant.approver)
  await page.getByRole('heading', { level: 2, name: / on crm$/ }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  const second = await hold('second')
  await page.getByText('2 actions waiting').waitFor()
  await page.getByRole('button', { name: /^Approve/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /note/i }).fill('seen by the night shift')
  await dialog.getByRole('button', { name: 'Approve and execute' }).click()
  await page.getByText(/You approved .*It was executed\./).waitFor()
  const { approval, status } = await tenant.trace(action_id)
  expect([status, approval?.note, approval?.principal.kind]).toEqual([
    'executed',
    'seen by the night shift',
    'approver',
  ])
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/approve/${tenant.id}/${second.action_id}`)
  await page.getByRole('button', { name: /^Reject/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
  await page.getByText('Nothing waits for you').waitFor()
  expect((await tenant.trace(second.action_id)).status).toBe('denied')
  const third = await hold('third')
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/approve/${tenant.id}/${third.action_id}`)
  expect(await page.getByRole('link', { name: /trace/i }).count()).toBe(0)
  expect(person.complaints()).toEqual([])
})

test('the key stays in the memory of the tab: a reload asks for it again', async () => {
  const { page } = person
  const { review_url } = await hold('kept')
  await page.goto(review_url)
  await open(tenant.approver)
  await page.getByRole('heading', { level: 2, name: / on crm$/ }).waitFor()
  const kept = await page.evaluate<string>(
    'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])',
  )
  expect(kept).not.toContain(tenant.approver)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Decide about an action' }).waitFor()
  expect(person.complaints()).toEqual([])
})

test('a revoked key locks the page at once, and decides nothing', async () => {
  const { page } = person
  const { action_id, review_url } = await hold('guarded')
  await page.goto(review_url)
  await open(tenant.approver)
  await page.getByRole('button', { name: /^Approve/ }).click()
  const keyId = tenant.approver.split('.')[0]
  person.expectComplaint(/401/)
  const path = `/v1/tenants/${tenant.id}/api-keys/${keyId}/revoke`
  expect((await service.call('POST', path, { admin: service.admin, json: {} })).status).toBe(200)
  await page.getByRole('dialog').getByRole('button', { name: 'Approve and execute' }).click()
  await page.getByText('The page locked itself: its approver key was revoked.').waitFor()
  expect((await tenant.trace(action_id)).status).toBe('pending_approval')
})

test('an agent key and the key of another tenant open nothing of it', async () => {
  const { page } = person
  const { review_url } = await hold('private')
  await page.goto(review_url)
  person.expectComplaint(/403|404/)
  await open(tenant.agent)
  await page.getByText(/needs an approver key, which begins with apk_/).waitFor()
  const other = await service.tenant()
  await open(other.approver)
  await page
    .getByText(/no such action|no action/i)
    .first()
    .waitFor()
  expect(await page.getByText('private').count()).toBe(0)
})

async function hold(text: string) {
  const json = proposal({ risk: 'high', parameters: { text } })
  const { body } = await service.call<{ action_id: string; review_url: string }>('POST', '/v1/actions', {
    key: tenant.agent,
    json,
  })
  return body
}

async function open(key: string): Promise<void> {
  const { page } = person
  await page.getByLabel('Approver key').fill(key)
  await page.getByRole('button', { name: 'Open' }).click()
}
