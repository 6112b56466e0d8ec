import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The beginning of the name of a field, what is typed there, and what it shows then, if that differs. Null: a box or a card to tick. */
export type Step = readonly [name: string, text: string | null, shown?: string]

export interface Part {
  typed: readonly Step[]
  /** Enter, or a button by the beginning of its name. */
  send: string
  /** The button stands before the fields. */
  backwards?: true
}

export type Who = 'nobody' | 'owner' | 'operator'

/** A form of the product, and what somebody types there with the keyboard alone. */
export interface Form {
  /** The files of `api/web` whose fields are typed. */
  files: readonly string[]
  as: Who
  at: string | (() => Promise<string>)
  parts: readonly Part[]
  /** The path where the service says what it keeps, for an application of the place `{tenant}`; or the query of the page. */
  stored: string | (() => Promise<unknown>)
  /** A part of what it says. */
  has: unknown
  /** What nobody can read again: a part of what the page sent. */
  sent?: Readonly<Record<string, unknown>>
}

/** A button alone. */
export const press = (send: string): Part => ({ typed: [], send })

/** Something to type: the beginning of the name of a field, and what is typed there. */
export interface Typed {
  name: string
  /** Of a select the beginning of an option, which is chosen by typing it; null: a box or a card to tick. */
  text: string | null
}

const tabsMax = 120

/**
 * Press Tab until the focus is at what begins with such a name. Of cards of a group the arrow goes from one to the next. At
 * the edge of a dialog the focus goes round in the next frame, which no person's second key comes before.
 */
export async function focusByTab(page: Page, name: string, backwards = false): Promise<void> {
  for (let pressed = 0; pressed < tabsMax; pressed += 1) {
    const key = await page.evaluate<string>(`(${nextKey})(${JSON.stringify(name)})`)
    if (key === '') return
    await page.keyboard.press(backwards ? `Shift+${key}` : key)
  }
  throw new Error(`the key Tab does not come to ${name}`)
}

/** Where nothing has the focus, the first key leads past the navigation. */
export async function skipToContent(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>('document.activeElement === document.body'))) return
  await page.keyboard.press('Tab')
  const at = await page.evaluate<string>('document.activeElement.textContent')
  if (at === 'Skip to content') await page.keyboard.press('Enter')
}

/** What is in a field replaces what was there; a date, which is typed part by part, is typed once. */
export async function typeInto(
  page: Page,
  { name, text }: Typed,
  delay: number,
  again = false,
): Promise<void> {
  await focusByTab(page, name)
  if (again && (await page.evaluate<boolean>(`document.activeElement.matches('[type=date]')`))) return
  if (text === null) {
    if (!(await page.evaluate<boolean>('document.activeElement.checked'))) await page.keyboard.press('Space')
    return
  }
  const isSelect = await page.evaluate<boolean>(`document.activeElement.matches('select, [type=date]')`)
  if (!isSelect) await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text, { delay })
}

/** What a field shows: of a select the begin of its option, in small letters. */
export function shownIn(page: Page, { name, text }: Typed): Promise<string> {
  return page.evaluate<string>(`(${shown})(${JSON.stringify(name)}, ${text?.length ?? 0})`)
}

/** Until there is something of that name, and a dialog that opened has the focus: then a person begins to type. */
export async function isThere(page: Page, name: string): Promise<void> {
  const isReady = () => page.evaluate<boolean>(`(${there})(${JSON.stringify(name)})`).catch(() => false)
  await expect.poll(isReady, { message: `there is ${name}`, timeout: 20_000 }).toBe(true)
}

const named = `(element, name) => {
  const said = [element.ariaLabel, ...[...(element.labels ?? [])].map(one => one.textContent), element.matches('button, a') ? element.textContent : '']
  return said.some(text => text?.replace(/\\s+/g, ' ').trim().startsWith(name))
}`

const there = `name => {
  const named = ${named}
  const dialog = document.querySelector('[role="dialog"]')
  if (dialog && !dialog.contains(document.activeElement)) return false
  return [...(dialog ?? document).querySelectorAll('input, textarea, select, button')].some(one => named(one, name) && one.checkVisibility() && !one.matches(':disabled'))
}`

const nextKey = `async name => {
  const named = ${named}
  for (let frames = 0; frames < 60 && document.activeElement.matches('[data-base-ui-focus-guard]'); frames += 1) await new Promise(requestAnimationFrame)
  const at = document.activeElement
  if (named(at, name)) return ''
  const group = at.type === 'radio' ? [...document.querySelectorAll('[type=radio]')].filter(one => one.name === at.name) : []
  return group.some(one => named(one, name)) ? 'ArrowDown' : 'Tab'
}`

const shown = `(name, length) => {
  const named = ${named}
  const place = document.querySelector('[role="dialog"]') ?? document
  const field = [...place.querySelectorAll('input, textarea, select')].find(one => named(one, name))
  if (!field) return 'no field of that name'
  if (field.matches('[type=checkbox], [type=radio]')) return field.checked ? '' : 'not chosen'
  return field.matches('select') ? field.selectedOptions[0].label.toLowerCase().slice(0, length) : field.value
}`
