import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import { axeFindings, type Look, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startService, type TestService } from '../support/service/service.ts'

let service: TestService
let browser: TestBrowser
beforeAll(async () => {
  service = await startService({ worker: null })
  browser = await startBrowser(service.url)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

const looks: readonly (Look & { name: string })[] = [
  { name: 'light-and-wide', colorScheme: 'light', width: 1280, height: 900 },
  { name: 'dark-and-narrow', colorScheme: 'dark', width: 390, height: 844 },
]
const folder = join(repositoryRoot, '.cache', 'pictures')

/** Two seconds on a machine that is three times slower. */
const firstShownMs = 6_000

describe.each(looks)('the API reference, $name', look => {
  test('shows its first operation at once, and every one to who opens it', async () => {
    await mkdir(folder, { recursive: true })
    const { page, complaints } = await browser.person(look)
    await page.goto('/docs/api', { waitUntil: 'commit' })
    const from = Date.now()
    await page.locator('#health').waitFor()
    expect(Date.now() - from).toBeLessThan(firstShownMs)
    expect(await axeFindings(page)).toEqual([])

    await page.getByRole('link', { name: 'agents', exact: true }).click()
    await page.waitForURL('/docs/api-agent')
    await page.locator('#submit_action').click()
    await page.getByText('Example: small refund').click()
    expect(await page.locator('#list_tenants').count()).toBe(0)
    await page.screenshot({ path: join(folder, `reference-${look.name}.png`) })
    const link = page.getByRole('link', { name: 'Proposal', exact: true }).filter({ visible: true }).first()
    await link.click()
    await page.waitForURL('/docs/api-models#Proposal')
    await page.getByText('action.target_system', { exact: true }).filter({ visible: true }).first().waitFor()
    await page.screenshot({ path: join(folder, `reference-model-${look.name}.png`) })
    expect(await axeFindings(page)).toEqual([])
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
    expect({ wide: Math.max(wide, 0), complaints: complaints() }).toEqual({ wide: 0, complaints: [] })
  }, 240_000)
})

test('the search leads to an operation, which is open then', async () => {
  const { page } = await browser.person()
  await page.goto('/docs')
  await page.getByRole('searchbox').fill('submit an action proposal')
  await page.locator('.found a[href="/docs/api#submit_action"]').click()
  await page.waitForURL('/docs/api#submit_action', { waitUntil: 'commit' })
  await page.getByText('Example: small refund').filter({ visible: true }).waitFor()
}, 120_000)
