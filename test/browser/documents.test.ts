import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import {
  axeFindings,
  type Look,
  type Person,
  startBrowser,
  type TestBrowser,
} from '../support/servers/browser.ts'
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
  { name: 'light and wide', colorScheme: 'light', width: 1440, height: 900 },
  { name: 'dark and narrow', colorScheme: 'dark', width: 390, height: 844 },
]
const open = async (look?: Look, path = '/docs'): Promise<Person> => {
  const person = await browser.person(look)
  await person.page.goto(path)
  return person
}

describe.each(looks)('the documents, $name', look => {
  test('fit the window, and the browser complains of none', async () => {
    const { page, complaints } = await open(look)
    const folder = join(repositoryRoot, '.cache', 'pictures', look.name.replaceAll(' ', '-'))
    await mkdir(folder, { recursive: true })
    const listed = await page.evaluate<string[]>(
      `[...document.querySelectorAll('article .cards a')].map(link => link.getAttribute('href'))`,
    )
    expect(listed).toContain('/docs/errors')
    const found: Record<string, unknown> = {}
    for (const path of ['/docs', ...listed]) {
      await page.goto(path)
      await page.screenshot({ path: join(folder, `${path.slice(1).replaceAll('/', '-')}.png`) })
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
      const findings = [...(wide > 0 ? [`${wide} too wide`] : []), ...complaints()]
      if (findings.length > 0) found[path] = findings
    }
    expect(found).toEqual({})
  }, 240_000)

  test.each(['/docs', '/docs/errors', '/docs/integrate'])(
    'pass axe at %s',
    async path => {
      const { page } = await open(look, path)
      expect(await axeFindings(page)).toEqual([])
    },
    120_000,
  )
})

test('a page is printed light, as wide as the paper, and without what leads elsewhere', async () => {
  const { page } = await open(looks[1], '/docs/integrate')
  const seen = () =>
    page.evaluate<string[]>(
      `['.bar', '.side', 'article'].filter(one => document.querySelector(one)?.checkVisibility())`,
    )
  expect(await seen()).toContain('.bar')
  await page.emulateMedia({ media: 'print' })
  expect(await seen()).toEqual(['article'])
  expect(await page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')).toBe('light')
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  expect(wide).toBeLessThanOrEqual(0)
})

test('the search finds a section from its words and leads to it', async () => {
  const { page, complaints } = await open()
  await page.keyboard.press('/')
  await page.keyboard.type('proposal_confl')
  const first = page.locator('.found a').first()
  await first.waitFor({ timeout: 60_000 })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.href !== `${service.url}/docs`)
  expect(page.url()).toBe(`${service.url}/docs/errors#proposal_conflict`)
  expect(complaints()).toEqual([])
})

test('the search works without the service once its index was loaded', async () => {
  const { page, context } = await open()
  const loaded = page.waitForResponse(/docs-search/)
  await page.getByRole('searchbox').focus()
  await (await loaded).finished()
  await page.getByRole('searchbox').fill('qqqzzzxxx')
  await page.getByText('Nothing found').waitFor()
  await context.setOffline(true)
  await page.getByRole('searchbox').fill('run-book')
  await page.locator('.found a').first().waitFor()
})

test('a button copies a block of code', async () => {
  const { page } = await open({}, '/docs/integrate')
  const block = page.locator('.code').first()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toBe(await block.locator('code').textContent())
})

test('a chosen theme stays on the next page', async () => {
  const { page } = await open({ colorScheme: 'light' })
  await page.getByLabel('Theme').selectOption('dark')
  await page.goto('/docs/errors')
  const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  expect(background).toBe('rgb(13, 18, 23)')
})
