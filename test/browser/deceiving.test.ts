import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { proposal } from '../support/service/tenant.ts'
import { type OwnerPages, startOwnerPages } from './owner-pages.ts'
import { signIn } from './sign-in.ts'

let pages: OwnerPages
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  pages = await startOwnerPages()
}, 300_000)
afterAll(() => pages?.close())

test('of a proposal that was made to be misread, an approver reads what is executed', async () => {
  const parameters = {
    amount: 900_000,
    command: 'rm -rf /srv/old          /srv/new',
    order: { limit: 7 },
    'order.limit': 5,
    '\u05d0': 1000,
    '\u05d1': '\u05d0 20 \u05d1',
  }
  const summary = `Nothing of note ${`e${'\u0301'.repeat(300)} `.repeat(4)}`
  const asked = {
    ...proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high', parameters }),
    summary,
  }
  const { service, browser, owner } = pages
  await service.call('POST', '/v1/actions', { key: owner.agent, json: asked })
  const person = await browser.person()
  const { page } = person
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/approvals`)
  await page.getByRole('button', { name: 'Approve…' }).waitFor()

  const told = page.getByText('The service will call').first().locator('..')
  const words = await told.innerText()
  expect(words).toContain('"rm -rf /srv/old          /srv/new"')
  expect(words).toContain('order.limit = 7, "order.limit" = 5')
  const line = page.getByRole('listitem').locator('.font-mono bdi')
  expect(await line.allInnerTexts()).toEqual(
    expect.arrayContaining(['amount', '900000', 'order.limit', '7', '"order.limit"', '5', '\u05d0', '1000']),
  )
  const claims = page.getByRole('region', { name: 'What the agent says' })
  expect(await claims.locator('mark').count()).toBeGreaterThan(100)
  expect(person.complaints()).toEqual([])
})

test('of seven values, the one that is paid is read before the button', async () => {
  const parameters = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, z: { payout: { amount: 900_000 } } }
  const { service, browser, owner } = pages
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json: proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high', parameters }),
  })
  const person = await browser.person()
  const { page } = person
  await signIn(page, owner)
  await page.goto(`/app/a/${owner.tenant_id}/approvals/${body.action_id}`)
  await page.getByRole('button', { name: 'Approve…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Approve/ }).waitFor()
  const told = dialog.getByText('The service will call').first().locator('..')
  expect(await told.innerText()).toContain('z.payout.amount = 900000')
  const values = dialog.getByRole('region', { name: 'All values' })
  expect(await values.innerText()).toContain('"amount": 900000')
  expect(await values.isVisible()).toBe(true)
  expect(person.complaints()).toEqual([])
})
