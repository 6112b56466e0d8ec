import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActionSummary } from '../../shared/contract/action/action.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { axeFindings } from '../support/servers/browser.ts'
import { proposal } from '../support/service/tenant.ts'
import { type OwnerPages, startOwnerPages } from './owner-pages.ts'
import { signIn } from './sign-in.ts'

let pages: OwnerPages

beforeAll(async () => {
  pages = await startOwnerPages()
  const { service, owner } = pages
  for (const [summary, amount] of [
    ['=HYPERLINK("https://evil.example")', 1],
    ['Refund a "large" order, at once', 250],
    ['Read a contact', 0],
  ] as const) {
    const json = proposal({ summary, system: 'nowhere', parameters: { amount } })
    await service.call('POST', '/v1/actions', { key: owner.agent, json })
  }
}, 300_000)
afterAll(() => pages?.close())

async function saved(page: Page, button: string): Promise<string> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  return readFile(await (await downloading).path(), 'utf8')
}

test.each([
  ['light', 1280],
  ['dark', 390],
] as const)(
  'the history is searched and saved in %s at %d pixels',
  async (colorScheme, width) => {
    const { browser, owner } = pages
    const { page } = await browser.person({ colorScheme, width, height: 900 })
    await signIn(page, owner)
    await page.goto(`/app/a/${owner.tenant_id}/history`)
    const rows = page.getByRole('list', { name: 'Actions, newest first' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(3)
    const csv = await saved(page, 'Save as CSV')
    expect(csv.split('\r\n')).toHaveLength(4)
    expect(csv).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
    expect(csv).toContain('"Refund a ""large"" order, at once"')

    await page.getByLabel('Search', { exact: true }).fill('amount:250')
    await expect.poll(() => rows.count()).toBe(1)
    const found = JSON.parse(await saved(page, 'Save as JSON')) as ActionSummary[]
    expect(found.map(({ summary }) => summary)).toEqual(['Refund a "large" order, at once'])
    expect(page.url()).toContain('q=amount%3A250')

    await page.getByLabel('Until').fill('2020-01-01')
    await page.getByText('Nothing found so far').waitFor()
    const folder = join(repositoryRoot, '.cache', 'pictures', 'history')
    await mkdir(folder, { recursive: true })
    await page.screenshot({ path: join(folder, `nothing-${width}.png`), fullPage: true })
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByText('all 3 actions', { exact: true }).waitFor()
    expect(await rows.count()).toBe(3)
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe('')
    await page.screenshot({ path: join(folder, `all-${width}.png`), fullPage: true })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(await axeFindings(page)).toEqual([])
  },
  120_000,
)
