import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import { type Look, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
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
  { name: 'light-and-wide', colorScheme: 'light', width: 1440, height: 900 },
  { name: 'dark-and-narrow', colorScheme: 'dark', width: 390, height: 844 },
]
const folder = join(repositoryRoot, '.cache', 'pictures')

describe.each(looks)('the API reference, $name', look => {
  test('shows the requests of an agent without breaking the policy of the page', async () => {
    await mkdir(folder, { recursive: true })
    const { page, complaints } = await browser.person(look)
    await page.goto('/docs/api?audience=agent')
    const submit = page.locator('#operations-Agent_and_approver-submit_action')
    await submit.waitFor({ timeout: 60_000 })
    expect(await page.locator('#operations-Admin-list_tenants').count()).toBe(0)
    await submit.locator('.opblock-summary-control').click()
    await submit
      .getByText('Idempotent', { exact: false })
      .or(submit.locator('.responses-wrapper'))
      .first()
      .waitFor()
    await page.screenshot({ path: join(folder, `reference-${look.name}.png`) })
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
    expect({ wide: Math.max(wide, 0), complaints: complaints() }).toEqual({ wide: 0, complaints: [] })
  }, 240_000)
})
