import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Numbers } from '../../shared/contract/action/numbers-schema.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { axeFindings } from '../support/servers/browser.ts'
import { proposal } from '../support/service/tenant.ts'
import { type OwnerPages, startOwnerPages } from './owner-pages.ts'
import { signIn } from './sign-in.ts'

let pages: OwnerPages
let deniedAt = 0

const hourOf = (ms: number) => Math.floor(ms / 3_600_000)

/** Three denials. */
beforeAll(async () => {
  pages = await startOwnerPages()
  const { service, owner } = pages
  for (let count = 0; count < 3; count += 1)
    await service.call('POST', '/v1/actions', { key: owner.agent, json: proposal({ system: 'nowhere' }) })
  deniedAt = Date.now()
}, 300_000)
afterAll(() => pages?.close())

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)(
  'the numbers are read in %s at %d pixels, by key and as a table',
  async (colorScheme, width) => {
    const { browser, owner } = pages
    const denied = async () => (await owner.browser.call<Numbers>('GET', owner.path('/numbers'))).body.denied
    await expect.poll(denied, { timeout: 20_000 }).toBe(3)
    const { page } = await browser.person({ colorScheme, width, height: 900 })
    await signIn(page, owner)
    await page.goto(`/app/a/${owner.tenant_id}`)
    const chart = page.getByRole('figure', { name: 'Decisions' })
    await chart.waitFor()
    const slider = chart.getByRole('slider')
    // The chart ends with the hour that it is now: a full hour may have passed since the denials.
    const hoursSince = hourOf(Date.now()) - hourOf(deniedAt)
    await slider.focus()
    for (let hour = 0; hour < hoursSince; hour += 1) await page.keyboard.press('ArrowLeft')
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/: 0 allowed, 0 held, 3 denied$/)
    await page.keyboard.press('ArrowLeft')
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/: 0 allowed, 0 held, 0 denied$/)
    await page.keyboard.press('End')
    await chart
      .locator('figcaption')
      .getByText(hoursSince === 0 ? '3 denied' : '0 denied')
      .waitFor()
    await chart.locator('svg').hover({ position: { x: 3, y: 60 } })
    await chart.locator('figcaption').getByText('0 denied').waitFor()
    await page.getByText('The same as a table, by the hour').click()
    const table = page.getByRole('table', { name: 'Numbers by the hour, the newest first' })
    expect(await table.locator('tbody tr').nth(hoursSince).innerText()).toMatch(/0\s+.*0\s+.*3\s/s)
    await page.getByLabel('Window').selectOption('30d')
    await page.getByText('The same as a table, by the day').waitFor()
    await page
      .getByRole('table', { name: 'Why proposals were denied' })
      .getByText('system_not_allowed')
      .waitFor()
    await page.getByText('The same as a table, by the day').click()
    const folder = join(repositoryRoot, '.cache', 'pictures', 'numbers')
    await mkdir(folder, { recursive: true })
    await page.screenshot({ path: join(folder, `numbers-${colorScheme}-${width}.png`), fullPage: true })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(await axeFindings(page)).toEqual([])
  },
  120_000,
)
