import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checklist } from '../security/checklist.ts'
import { repositoryRoot } from '../support/repository-root.ts'

const titles = new Map<string, ReadonlySet<string>>()

/** What stands as the first text behind `it(`, `test(`, or the brackets of their tables. */
function titlesOf(file: string): ReadonlySet<string> {
  const known = titles.get(file)
  if (known) return known
  const path = join(repositoryRoot, 'test', file)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const found = new Set(
    [...text.matchAll(/(?:\b(?:it|test)\(|\)\()\s*(?:'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`)/g)].map(
      ([, single, double, back]) => single ?? double ?? back ?? '',
    ),
  )
  titles.set(file, found)
  return found
}

test('all 64 items are there, in their order', () => {
  expect(checklist.map(({ item }) => item)).toEqual(Array.from({ length: 64 }, (_, at) => at + 1))
})

test('each names a test or says why not', () => {
  expect(checklist.filter(({ tests, why }) => tests.length === 0 && !why)).toEqual([])
})

test.each(checklist)('item $item is shown by tests that are there', ({ tests }) => {
  const missing = tests.filter(([file, title]) => !titlesOf(file).has(title))
  expect(missing.map(([file, title]) => `${file}: ${title}`)).toEqual([])
})

test('a test that is not there would be missed', () => {
  expect(titlesOf('architecture/checklist.test.ts').has('nobody wrote this one')).toBe(false)
  expect(titlesOf('architecture/nowhere.test.ts').size).toBe(0)
  expect(titlesOf('architecture/checklist.test.ts')).toContain('all 64 items are there, in their order')
})
