import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import { formsOf, typedElsewhere } from './typed-forms.ts'
import {
  type Form,
  focusByTab,
  isThere,
  type Part,
  type Step,
  shownIn,
  skipToContent,
  typeInto,
} from './typing.ts'
import { type Stage, startTyping, type Typing } from './typing-stage.ts'

let typing: Typing
beforeAll(async () => {
  typing = await startTyping()
}, 300_000)
afterAll(() => typing?.close())

/** Milliseconds between two keys. */
const speeds = [0, 60, 400] as const
/** Who types slowly leaves the machine to others. */
const pagesAtOnce = 10

/**
 * A person who types as fast as this, with the keyboard alone, in every form of the product. At each speed a form shows what was
 * typed. What it shows at the last one is sent, and is what the service keeps; the speeds take turns in being the last.
 */
test('what every form shows, at each speed, is what was typed, and then what is stored', async () => {
  const stage = await typing.stage('k1')
  const forms = formsOf(stage).map((form, place) => ({ form, order: rotated(place) }))
  const failed: string[] = []
  const work = async (): Promise<void> => {
    for (let next = forms.shift(); next; next = forms.shift()) {
      const { form, order } = next
      const [file] = form.files
      await fillIn(stage, form, order).catch((error: Error) => failed.push(`${file}: ${error.message}`))
    }
  }
  await Promise.all(Array.from({ length: pagesAtOnce }, work))
  expect(failed.join('\n\n')).toBe('')
}, 600_000)

function rotated(place: number): number[] {
  const at = place % speeds.length
  return [...speeds.slice(at), ...speeds.slice(0, at)]
}

async function fillIn(stage: Stage, form: Form, order: readonly number[]): Promise<void> {
  const place = typeof form.at === 'string' ? form.at : await form.at()
  const page = await stage.open(form.as, place)
  const sent: unknown[] = []
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url())
    if (!pathname.startsWith('/v1/')) return
    const query = Object.fromEntries(searchParams)
    sent.push(request.method() === 'GET' ? query : JSON.parse(request.postData() ?? '{}'))
  })
  const delay = order.at(-1) ?? 0
  try {
    for (const part of form.parts) {
      const { typed, send, backwards } = part
      await isThere(page, typed[0]?.[0] ?? send)
      await skipToContent(page)
      for (const [again, speed] of order.entries()) await typePart(page, part, { speed, again: again > 0 })
      if (send !== 'Enter') {
        await isThere(page, send)
        await focusByTab(page, send, backwards)
      }
      await page.keyboard.press('Enter', { delay: Math.min(delay, 20) })
    }
    await expect
      .poll(async () => holds(await keptOf(stage, form, page, place), form.has), { timeout: 20_000 })
      .toBe(true)
    for (const part of Object.values(form.sent ?? {}))
      expect(holds(sent, part), JSON.stringify(sent)).toBe(true)
  } catch (error) {
    const text = (await page.locator('body').innerText()).replaceAll(/\s*\n\s*/g, '\n').slice(-400)
    throw new Error(`${(error as Error).message}\n${page.url()}\n${text}\n${JSON.stringify(sent.slice(-4))}`)
  } finally {
    await page.close()
  }
}

/** From its first field on, back there where it is typed again; then the fields show what was typed. */
async function typePart(
  page: Page,
  { typed }: Part,
  { speed, again }: { speed: number; again: boolean },
): Promise<void> {
  const [first] = typed
  if (again && first) await focusByTab(page, first[0], true)
  for (const step of typed) await typeInto(page, asTyped(step), speed, again)
  for (const step of typed) expect(await shownIn(page, asTyped(step)), step[0]).toBe(step[2] ?? step[1] ?? '')
}

const asTyped = ([name, text]: Step) => ({ name, text })

/** What the service says, or for a form that changes what is shown alone, what the page is then. */
async function keptOf(stage: Stage, { stored }: Form, page: Page, place: string): Promise<unknown> {
  if (typeof stored === 'function') return stored()
  if (stored !== 'page') {
    const [tenant, action] = [/\/(?:a|tenants)\/([^/?]+)/, /\/(?:approvals|actions)\/([^/?]+)/].map(
      part => part.exec(place)?.[1] ?? '',
    )
    return stage.read(stored.replace('{tenant}', tenant ?? '').replace('{action}', action ?? ''))
  }
  const { pathname, searchParams } = new URL(page.url())
  const heading = await page.locator('h1').first().innerText()
  return { path: pathname, heading, ...Object.fromEntries(searchParams) }
}

/** Whether a value has such a part, at whatever depth. */
function holds(value: unknown, part: unknown): boolean {
  if (isLike(value, part)) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(one => holds(one, part))
}

function isLike(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return value === part
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(part) && (value as unknown[]).length !== part.length) return false
  return Object.entries(part).every(([name, one]) => isLike((value as Record<string, unknown>)[name], one))
}

test('every file of the pages that holds a form has a row here', async () => {
  const web = join(repositoryRoot, 'api/web')
  const withForms: string[] = []
  for (const file of await readdir(web, { recursive: true })) {
    if (!/^(admin|app|approve|panels)\/.*\.tsx$/.test(file)) continue
    const text = await readFile(join(web, file), 'utf8')
    if (/<(form|TextInput|TextArea|TypedInput|SearchField|JsonEditor)\b/.test(text)) withForms.push(file)
  }
  const rows = formsOf(await typing.stage('rows')).flatMap(({ files }) => files)
  const fieldsAlone = [
    'app/members/grants-fields.tsx',
    'admin/actions/outcome-choice.tsx',
    'panels/tools/proposal-review.tsx',
  ]
  const typed = [...rows.filter(file => !fieldsAlone.includes(file)), ...Object.keys(typedElsewhere)]
  expect(typed.sort()).toEqual(withForms.sort())
}, 60_000)
