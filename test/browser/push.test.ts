import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { keyIssuedSchema } from '../../shared/contract/configuration/tenant.ts'
import type { PushState } from '../../shared/contract/push-schema.ts'
import { startPushService, type TestPushService } from '../support/fixtures/push-service.ts'
import { webhookEnvironment } from '../support/fixtures/webhook-receiver.ts'
import { axeFindings } from '../support/servers/browser.ts'
import { startService } from '../support/service/service.ts'
import { holdNote, type OwnerPages, startOwnerPages } from './owner-pages.ts'
import { openApprovals, signIn } from './sign-in.ts'
import { click, deliver, registrationOf, shown, subscribable } from './subscribed.ts'

let pages: OwnerPages
let push: TestPushService
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  push = await startPushService()
  pages = await startOwnerPages(webhookEnvironment)
}, 300_000)
afterAll(async () => {
  await pages?.close()
  await push?.close()
})

test('a browser that somebody subscribed shows what waits, once, and leads to it', async () => {
  const { owner, service } = pages
  const person = await subscribable(pages.browser, push)
  const { page, context } = person
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByRole('button', { name: 'Notify me in this browser' }).click()
  await page.getByRole('button', { name: 'Stop notices in this browser' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  const id = await holdNote(pages)
  const [message] = await person.push.received(1)
  if (!message) throw new Error('nothing was pushed')
  expect(JSON.stringify(message.notice)).not.toContain('4711')

  const session = await context.newCDPSession(page)
  const there = { origin: service.url, registrationId: await registrationOf(session) }
  await deliver(session, there, message.notice)
  const notice = {
    title: 'add_note on helpdesk waits for a decision',
    body: `${owner.signed_up.tenant.name}\nAgent: agent-1\nRisk: high`,
    data: `/approve/${owner.tenant_id}/${id}`,
  }
  await expect.poll(() => shown(page)).toEqual([notice])
  await deliver(session, there, { ...message.notice, waiting: 2 })
  const two = `${owner.signed_up.tenant.name}: 2 wait for a decision\nAgent: agent-1\nRisk: high`
  await expect.poll(() => shown(page)).toEqual([{ ...notice, body: two }])
  await expect.poll(() => page.title()).toBe('(1) Approvals · Action Gate')
  await page.goto(`/app/a/${owner.tenant_id}/history`)
  await expect.poll(() => page.title()).toBe('(1) History · Action Gate')
  expect(await iconOf(page)).toMatch(/\/assets\/1-[^/]+\.svg$/)

  const place = `${service.url}/approve/${owner.tenant_id}/${id}`
  expect(await click(person)).toEqual([`opened ${place}`])
  await expect.poll(() => shown(page)).toEqual([])
  await page.goto(place)
  await page.getByRole('heading', { name: 'Decide about an action' }).waitFor()
  const { body } = await owner.browser.call<{ status: string }>('GET', owner.path(`/actions/${id}`))
  expect(body.status).toBe('pending_approval')

  await deliver(session, there, message.notice)
  await expect.poll(() => shown(page)).toEqual([notice])
  expect(await click(person)).toEqual([`focused ${page.url()}`])
  await owner.browser.call('POST', owner.path(`/actions/${id}/reject`), { json: {} })
  await page.goto(`/app/a/${owner.tenant_id}/history`)
  await expect.poll(() => page.title()).toBe('History · Action Gate')
  expect(await iconOf(page)).toMatch(/\/gate-[^/]+\.svg$/)
  expect(person.complaints()).toEqual([])
})

function iconOf(page: Page): Promise<string | null> {
  return page.locator('link[rel="icon"]').getAttribute('href')
}

test('a person ends it where it began, and signing out ends it too', async () => {
  const { owner } = pages
  const person = await subscribable(pages.browser, push)
  const { page } = person
  const mine = async () =>
    (await owner.browser.call<PushState>('GET', owner.path('/push-subscriptions'))).body.subscriptions.length
  const before = await mine()
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByRole('button', { name: 'Notify me in this browser' }).click()
  await page.getByRole('button', { name: 'Stop notices in this browser' }).click()
  await page.getByRole('button', { name: 'Notify me in this browser' }).waitFor()
  expect(await mine()).toBe(before)
  await page.getByRole('button', { name: 'Notify me in this browser' }).click()
  await page.getByRole('button', { name: 'Stop notices in this browser' }).waitFor()
  await page.goto('/app/account')
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page
    .getByRole('heading', { name: /sign in/i })
    .first()
    .waitFor()
  expect(await page.evaluate(() => localStorage.getItem('push-stand-in'))).toBeNull()
})

test('an approver’s key subscribes its browser on its own page', async () => {
  const { owner, service } = pages
  const json = { name: 'night shift', scope: 'approver' }
  const { body } = await owner.browser.call<z.infer<typeof keyIssuedSchema>>(
    'POST',
    owner.path('/api-keys'),
    { json },
  )
  const person = await subscribable(pages.browser, push)
  const { page } = person
  await openApprovals(page, body.api_key)
  await page.getByRole('button', { name: 'Notify me in this browser' }).click()
  await page.getByRole('button', { name: 'Stop notices in this browser' }).waitFor()
  const state = await service.call<PushState>('GET', '/v1/push-subscriptions', { key: body.api_key })
  expect(state.body.subscriptions).toHaveLength(1)
  const id = await holdNote(pages)
  const [message] = await person.push.received(1)
  expect(message?.notice.path).toBe(`/approve/${owner.tenant_id}/${id}`)
  expect(await axeFindings(page)).toEqual([])
  expect(person.complaints()).toEqual([])
})

test('where the service sends none, the approvals say so', async () => {
  const silent = await startService({
    database: pages.service.database,
    platform: true,
    worker: null,
    env: { SERVICE_HOSTED_ACCOUNTS: 'true' },
  })
  const person = await pages.browser.person()
  try {
    const { page } = person
    const { email, password } = pages.owner
    await page.goto(`${silent.url}/app/a/${pages.owner.tenant_id}/approvals`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This service sends no notices to browsers.').waitFor()
    expect(await page.getByRole('button', { name: 'Notify me in this browser' }).count()).toBe(0)
  } finally {
    await silent.close()
  }
})
