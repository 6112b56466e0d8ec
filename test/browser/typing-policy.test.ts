import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PolicyState } from '../../shared/contract/configuration/tenant.ts'
import { type OwnerPages, startSignedIn } from './owner-pages.ts'

let pages: OwnerPages
let page: Page
beforeAll(async () => {
  const begun = await startSignedIn()
  pages = begun.pages
  page = begun.page
}, 300_000)
afterAll(() => pages?.close())

const policy = {
  allowed_systems: ['payments'],
  allowed_operations: { payments: ['charge', 'refund', 'transfer'] },
  parameter_constraints: {
    payments: {
      charge: { amount: { required: true, max: 9 } },
      refund: { 'order.id': { required: true } },
    },
  },
  approval_required_at: 'high',
  review_route: 'operations',
}

/**
 * A person who types as fast as this, with the keyboard alone: a condition for another operation than the first, its parameter
 * and its bounds, and who decides. What the form shows, what the draft says and what is stored are one thing.
 */
it.each([0, 60, 400])(
  'what is typed at %i ms a key is what is stored',
  async delay => {
    const { owner } = pages
    const stored = async () => {
      const { body } = await owner.browser.call<PolicyState>('GET', owner.path('/policy'))
      return body.policy
    }
    const put = await owner.browser.call('PUT', owner.path('/policy'), { json: { policy } })
    expect(put.status, JSON.stringify(put.body)).toBe(200)
    await page.goto(`/app/a/${owner.tenant_id}/policy?tab=edit`)
    const type = (text: string) => page.keyboard.type(text, { delay })
    const press = (key: string) => page.keyboard.press(key, { delay: Math.min(delay, 20) })

    const json = page.getByRole('textbox', { name: 'Policy as JSON' })
    const before = await json.inputValue()
    await page.getByRole('button', { name: 'Add a condition' }).focus()
    await press('Enter')
    const fresh = page.getByRole('group', { name: 'Condition on a new parameter of charge' })
    expect(await fresh.getByLabel('Operation').evaluate(field => field.matches(':focus'))).toBe(true)
    expect(await json.inputValue()).toBe(before)
    await type('tr')
    await press('Tab')
    await type('amount')
    await press('Tab')
    await type('5')
    await press('Tab')
    await type('500')
    // What the form shows counts before the field is left: the proof beside it is of the same draft.
    const bound = { payments: { transfer: { amount: { min: 5, max: 500 } } } }
    expect(JSON.parse(await json.inputValue()).parameter_constraints).toMatchObject(bound)
    await press('Tab')
    await type('10, 20')
    await press('Tab')
    await press('Space')
    await page.getByLabel('Who decides').focus()
    await press('ControlOrMeta+A')
    await type('treasury')
    await press('Enter')

    const typed = {
      ...policy,
      review_route: 'treasury',
      parameter_constraints: {
        payments: {
          ...policy.parameter_constraints.payments,
          transfer: { amount: { min: 5, max: 500, one_of: [10, 20], required: false } },
        },
      },
    }
    const draft = page.getByRole('textbox', { name: 'Policy as JSON' })
    expect(JSON.parse(await draft.inputValue())).toEqual(typed)
    const shown = page.getByRole('group', { name: 'Condition on amount of transfer' })
    expect(await valuesIn(shown)).toEqual(['transfer', 'amount', '5', '500', '10, 20', true])
    await page.getByRole('button', { name: 'Save…' }).focus()
    await expect.poll(() => page.getByRole('button', { name: 'Save…' }).isEnabled()).toBe(true)
    await page.getByRole('button', { name: 'Save…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const change = dialog.getByRole('region', { name: 'Newly denied: allowed until now' })
    await change.getByLabel('Example proposal for payments transfer').first().waitFor({ state: 'visible' })
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject(typed)
  },
  120_000,
)

it('what is typed as JSON stays when the form is changed at once', async () => {
  const { owner } = pages
  await owner.browser.call('PUT', owner.path('/policy'), { json: { policy } })
  await page.goto(`/app/a/${owner.tenant_id}/policy?tab=edit`)
  const draft = page.getByRole('textbox', { name: 'Policy as JSON' })
  await draft.press('ControlOrMeta+A')
  await page.keyboard.insertText(JSON.stringify({ ...policy, review_route: 'nights' }))
  await page.getByLabel('When a person is asked').focus()
  await page.keyboard.press('ArrowUp')
  const typed = { ...policy, review_route: 'nights', approval_required_at: 'medium' }
  await expect.poll(async () => JSON.parse(await draft.inputValue())).toEqual(typed)
  expect(await page.getByLabel('Who decides').inputValue()).toBe('nights')
}, 60_000)

it.each([
  { field: 'At most', typed: '50x', mended: '50' },
  { field: 'Allowed values, with commas between', typed: '[1', mended: '1' },
  { field: 'Parameter', typed: 'amount.', mended: 'amount' },
  { field: 'Who decides', typed: ' ', mended: 'nights' },
])(
  'Save waits while $field is unreadable',
  async ({ field, typed, mended }) => {
    const { owner } = pages
    await owner.browser.call('PUT', owner.path('/policy'), { json: { policy } })
    await page.goto(`/app/a/${owner.tenant_id}/policy?tab=edit`)
    await page.getByLabel('When a person is asked').selectOption('medium')
    const save = page.getByRole('button', { name: 'Save…' })
    await expect.poll(() => save.isEnabled()).toBe(true)
    await page.getByRole('button', { name: 'Change condition on amount of charge' }).click()
    await page.getByLabel(field, { exact: true }).fill(typed)
    await page.getByText('A field cannot be read. Correct it to save.').waitFor()
    expect(await save.isEnabled()).toBe(false)
    await page.getByLabel(field, { exact: true }).fill(mended)
    await expect.poll(() => save.isEnabled()).toBe(true)
  },
  60_000,
)

async function valuesIn(group: Locator): Promise<unknown[]> {
  const texts = ['Operation', 'Parameter', 'At least', 'At most', 'Allowed values, with commas between']
  const values = await Promise.all(texts.map(name => group.getByLabel(name).inputValue()))
  return [...values, await group.getByRole('checkbox').isChecked()]
}
