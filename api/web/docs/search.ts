import type MiniSearch from 'minisearch'
import type { SearchResult } from 'minisearch'
import { basePath } from '../lib/base-path.ts'
import { type FoundSection, searchOptions } from '../search-options.ts'
import { element } from './element.ts'

const shownMax = 12

/** Adds a search field for all pages. Loads the search index only when the field is first used. */
export function addSearch(tools: HTMLElement, indexUrl: string): void {
  const field = element('input', {
    type: 'search',
    placeholder: 'Search',
    'aria-label': 'Search the documents',
    'aria-controls': 'found',
    'aria-keyshortcuts': '/',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const said = element('p', { role: 'status' })
  const list = element('ul')
  const found = element('div', { id: 'found', class: 'found', hidden: '' }, said, list)
  const form = element('form', { role: 'search' }, field, found)
  const index = once(() => loadIndex(indexUrl))
  const update = () => void show(index, field.value, { said, list, found })
  field.addEventListener('focus', () => void index().catch(() => null))
  field.addEventListener('input', update)
  form.addEventListener('submit', event => {
    event.preventDefault()
    list.querySelector('a')?.click()
  })
  addKeys(form, field, found)
  tools.append(form)
}

interface Shown {
  said: HTMLElement
  list: HTMLElement
  found: HTMLElement
}

async function show(
  index: () => Promise<MiniSearch>,
  text: string,
  { said, list, found }: Shown,
): Promise<void> {
  found.hidden = text.trim() === ''
  if (found.hidden) return list.replaceChildren()
  const results = await index().then(
    loaded => search(loaded, text),
    () => null,
  )
  list.replaceChildren(...(results ?? []).map(itemOf))
  if (results === null) said.textContent = 'The index could not be loaded. Try again in a moment.'
  else
    said.textContent = results.length === 0 ? `Nothing found for “${text.trim()}”` : `${results.length} found`
}

function search(index: MiniSearch, text: string): (FoundSection & SearchResult)[] {
  const options = { prefix: true, fuzzy: 0.15, boost: { heading: 4, page: 2 }, combineWith: 'AND' } as const
  return index.search(text, options).slice(0, shownMax) as (FoundSection & SearchResult)[]
}

function itemOf({ id, page, heading, excerpt }: FoundSection): HTMLElement {
  const title = element('strong', {}, heading)
  const place = heading === page ? [] : [element('span', { class: 'place' }, page)]
  return element(
    'li',
    {},
    element('a', { href: `${basePath}${id}` }, title, ...place, element('span', {}, excerpt)),
  )
}

/** Binds the keys: `/` focuses the field, arrows move through the results, and Escape closes them. */
function addKeys(form: HTMLElement, field: HTMLInputElement, found: HTMLElement): void {
  document.addEventListener('keydown', event => {
    const typing = event.target instanceof Element && event.target.closest('input, select, textarea')
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
  form.addEventListener('keydown', event => {
    if (event.key === 'Escape') {
      found.hidden = true
      field.focus()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const stops = [field, ...found.querySelectorAll('a')]
    const at = stops.indexOf(document.activeElement as HTMLInputElement)
    stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus()
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !form.contains(relatedTarget)) found.hidden = true
  })
  found.addEventListener('click', () => {
    found.hidden = true
  })
}

async function loadIndex(url: string): Promise<MiniSearch> {
  const [{ default: Search }, response] = await Promise.all([import('minisearch'), fetch(url)])
  if (!response.ok) throw new Error(`the index answers ${response.status}`)
  return Search.loadJSONAsync(await response.text(), searchOptions)
}

/** Calls `make` once and shares its result. A failure is forgotten, so that the next call tries again. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null
      throw error
    })
    return made
  }
}
