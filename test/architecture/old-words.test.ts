import { expect, test } from 'vitest'
import { oldFileNames, oldIdentifiers, suspects } from '../house/old-words.ts'

test('no identifier has a name that was replaced', () => {
  expect(suspects().map(({ path }) => path)).toContain('test/house/old-words.ts')
  expect(oldIdentifiers()).toEqual([])
})

test('no file of the product has a name that was replaced', () => {
  expect(oldFileNames()).toEqual([])
})
