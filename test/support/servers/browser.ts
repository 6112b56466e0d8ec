import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { onTestFailed, TestRunner } from 'vitest'
import { findChromium } from './chromium.ts'

export interface Look {
  colorScheme?: 'light' | 'dark'
  width?: number
  height?: number
}

/** A person at a browser of their own: nothing is shared with the others. */
export interface Person {
  page: Page
  context: BrowserContext
  /** What the browser complained of so far: errors and warnings of the console, uncaught errors, requests to elsewhere. */
  complaints(): string[]
  /** What the browser may say from now on without it being a complaint, such as an answer that a test provokes. */
  expectComplaint(pattern: RegExp): void
}

export interface TestBrowser {
  person(look?: Look): Promise<Person>
  close(): Promise<void>
}

/** Start a real browser for pages of one service. */
export async function startBrowser(url: string): Promise<TestBrowser> {
  const { path, env } = await findChromium()
  const browser = await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--force-color-profile=srgb',
      // A worker is not registered from where the certificate is signed by itself.
      ...(url.startsWith('https:') ? ['--ignore-certificate-errors'] : []),
    ],
  })
  return { person: look => openPerson(browser, url, look), close: () => browser.close() }
}

/**
 * Everything that axe finds at the state the page is in, by rule and place. Motion is reduced meanwhile: a message
 * that fades while axe reads it has another contrast than the one that people read.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  try {
    return await findingsOf(page)
  } finally {
    await page.emulateMedia({ reducedMotion: null })
  }
}

async function findingsOf(page: Page): Promise<string[]> {
  await page.evaluate(settled)
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id}: ${help} at ${String(target)} (${failureSummary ?? ''})`,
    ),
  )
}

/** Colours are judged as they are in the end: what fades in has another contrast on its way. */
const settled = `Promise.all(
  document.getAnimations()
    .filter(one => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity)
    .map(one => one.finished.catch(() => null)),
).then(() => null)`

async function openPerson(browser: Browser, url: string, look: Look = {}): Promise<Person> {
  const { colorScheme = 'light', width = 1280, height = 900 } = look
  const context = await browser.newContext({
    baseURL: url,
    colorScheme,
    viewport: { width, height },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ignoreHTTPSErrors: url.startsWith('https:'),
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  const heard: string[] = []
  const expected: RegExp[] = []
  const hear = (complaint: string): void => {
    if (!expected.some(pattern => pattern.test(complaint))) heard.push(complaint)
  }
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) hear(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', error => hear(`uncaught: ${error.message}`))
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== 'blob:' && origin !== new URL(url).origin) hear(`request to ${request.url()}`)
  })
  tellOnFailure(page, heard)
  return {
    page,
    context,
    complaints: () => [...heard],
    expectComplaint: pattern => void expected.push(pattern),
  }
}

const shownCharsMax = 1_500

/** A test that fails says with its error what the page showed then: the machine where it failed may be gone. */
function tellOnFailure(page: Page, heard: readonly string[]): void {
  if (!TestRunner.getCurrentTest()) return
  onTestFailed(async ({ task }) => {
    const error = task.result?.errors?.[0]
    if (!error || page.isClosed()) return
    const shown = await page.locator('body').innerText({ timeout: 5_000 })
    const text = shown.replaceAll(/\s*\n\s*/g, '\n').slice(0, shownCharsMax)
    error.message += `\nThe page at ${page.url()} showed:\n${text}\n${heard.join('\n')}`
  })
}
