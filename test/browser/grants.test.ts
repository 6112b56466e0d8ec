import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { GrantList } from '../../shared/contract/configuration/grant-schema.ts'
import { axeFindings, type Person } from '../support/servers/browser.ts'
import { plainPolicy, proposal } from '../support/service/tenant.ts'
import { type OwnerPages, startSignedIn } from './owner-pages.ts'

let pages: OwnerPages
let person: Person
let page: Page
vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  ;({ pages, person, page } = await startSignedIn())
}, 300_000)
afterAll(() => pages?.close())

async function submit(amount: number): Promise<{ action_id: string; decision: string }> {
  const { service, owner } = pages
  const { body } = await service.call<{ action_id: string; decision: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json: proposal({ system: 'helpdesk', operation: 'refund', risk: 'high', parameters: { amount } }),
  })
  return body
}

async function grants(): Promise<GrantList['grants']> {
  const { owner } = pages
  return (await owner.browser.call<GrantList>('GET', owner.path('/grants'))).body.grants
}

test('an owner makes a grant of what is held, sees its uses, and revokes it', async () => {
  const { owner } = pages
  await owner.browser.call('PUT', owner.path('/policy'), {
    json: { ...plainPolicy, allowed_systems: ['helpdesk'] },
  })
  const held = await submit(50)
  expect(held.decision).toBe('needs_approval')
  await page.goto(`/app/a/${owner.tenant_id}/approvals/${held.action_id}`)
  await page.getByRole('link', { name: 'Grant…' }).click()
  const form = page.getByRole('form', { name: 'New grant' })
  expect(await form.getByLabel('Operation').inputValue()).toBe('refund')
  expect(await form.getByLabel('Agent key').inputValue()).toBe(owner.agent.split('.')[0])
  expect(JSON.parse(await form.getByLabel('Bounds').inputValue())).toEqual({ amount: { max: 50 } })
  await form.getByLabel('Uses').fill('2')
  await form.getByLabel('Why').fill('refunds after the outage')
  expect(await axeFindings(page)).toEqual([])
  await form.getByRole('button', { name: 'Prove and make' }).click()
  await page.getByText('amount at most 50').waitFor()
  await page.getByText('In use', { exact: true }).waitFor()
  expect(await grants()).toMatchObject([{ uses_max: 2, constraints: { amount: { max: 50 } } }])

  expect((await submit(20)).decision).toBe('allow')
  expect((await submit(51)).decision).toBe('needs_approval')
  await page.reload()
  await page.getByText(/1 of 2 uses/).waitFor()
  await page.getByRole('button', { name: /^Revoke grt_/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Why').fill('the backlog is done')
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Revoke grant' }).click()
  await page.getByText('Revoked', { exact: true }).waitFor()
  expect((await submit(20)).decision).toBe('needs_approval')
  expect(person.complaints()).toEqual([])
})

test('a grant that is not proved is refused, with the proposal that shows why', async () => {
  const { owner } = pages
  await page.goto(`/app/a/${owner.tenant_id}/grants`)
  await page.getByRole('button', { name: 'New grant' }).click()
  const form = page.getByRole('form', { name: 'New grant' })
  await form.getByLabel('Agent key').fill(owner.agent.split('.')[0] ?? '')
  await form.getByLabel('System').fill('helpdesk')
  await form.getByLabel('Operation').fill('refund')
  await form.getByLabel('Bounds').fill('{"amount": {"max": 50, "required": false}}')
  await form.getByLabel('Why').fill('of a test')
  await form.getByRole('button', { name: 'Prove and make' }).click()
  await form
    .getByRole('alert')
    .getByText(/does not bound/)
    .first()
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect((await grants()).filter(({ status }) => status === 'active')).toEqual([])
})
