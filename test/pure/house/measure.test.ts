import { describe, expect, it, test } from 'vitest'
import { parseSource } from '../../architecture/source-tree.ts'
import { baseNamesTwice, foldersOver, lineCount, shortFiles, wordCount } from '../../house/measure.ts'
import { functionsOver, stateTables } from '../../house/measure-sources.ts'

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

describe('of sources', () => {
  const files = [
    parseSource(
      'long.ts',
      'function long() {\n  // why\n\n  one()\n  two()\n}\nconst short = () => {\n  one()\n}',
    ),
    parseSource(
      'table.ts',
      "const table = [\n['executing', ['executed']],\n['approved', ['denied']],\n['received', ['allowed']],\n['allowed', ['denied']],\n['received', ['denied']],\n]",
    ),
    parseSource(
      'words.ts',
      "const words = { executed: 'done', denied: 'no', allowed: 'yes', executing: 'runs', received: 'new' }",
    ),
  ]

  it('names functions that are too long, without blank lines and comments', () => {
    expect(functionsOver(files, 3)).toEqual(['long.ts:1: 4'])
    expect(functionsOver(files, 4)).toEqual([])
  })

  it('counts a function within another for itself', () => {
    const text = 'function outer() {\n  const inner = () => {\n    one()\n    two()\n  }\n  inner()\n}'
    expect(functionsOver([parseSource('outer.ts', text)], 3)).toEqual(['outer.ts:1: 4', 'outer.ts:2: 4'])
  })

  it('finds tables of steps, and no words for statuses', () => {
    expect(stateTables(files)).toEqual(['table.ts'])
  })
})
