import { expect, test } from 'vitest'
import { baseNamesTwice, foldersOver, lineCount, shortFiles, wordCount } from '../../house/measure.ts'

test('a folder over its number of files is named with it', () => {
  expect(foldersOver(['a/1.ts', 'a/2.ts', 'a/b/3.ts', 'c/4.ts'], 1)).toEqual(['a: 2'])
})

test('a base name in two folders is named with both', () => {
  expect(baseNamesTwice(['a/x.ts', 'b/x.ts', 'b/y.ts'])).toEqual(['x.ts: a/x.ts, b/x.ts'])
})

test('a short file is named with its lines', () => {
  const files = [
    { path: 'a.ts', text: 'one\n' },
    { path: 'b.ts', text: 'one\ntwo\n' },
  ]
  expect(shortFiles(files, 2)).toEqual(['a.ts: 1'])
})

test('lines and words are counted as a reader does', () => {
  expect(lineCount('one\ntwo')).toBe(2)
  expect(wordCount('# A title\n\nwith `code`\n')).toBe(5)
})
