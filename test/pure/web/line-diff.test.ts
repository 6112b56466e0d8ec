import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type DiffLine, lineDiff } from '../../../api/web/lib/policy/line-diff.ts'

it('keeps what is the same and numbers the lines of both texts', () => {
  const { lines, coarse } = lineDiff('a\nb\nc\nd', 'a\nx\nc\nd\ne')
  expect(coarse).toBe(false)
  expect(lines).toEqual([
    { kind: 'same', text: 'a', before: 1, after: 1 },
    { kind: 'removed', text: 'b', before: 2, after: null },
    { kind: 'added', text: 'x', before: null, after: 2 },
    { kind: 'same', text: 'c', before: 3, after: 3 },
    { kind: 'same', text: 'd', before: 4, after: 4 },
    { kind: 'added', text: 'e', before: null, after: 5 },
  ])
})

it('says nothing of equal texts', () => {
  expect(kindsOf(lineDiff('a\nb', 'a\nb').lines)).toEqual(['same', 'same'])
})

it('gives both texts back, by an edit as short as there is', () => {
  const some = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }).map(lines => lines.join('\n'))
  fc.assert(
    fc.property(some, some, (before, after) => {
      const { lines, coarse } = lineDiff(before, after)
      expect(coarse).toBe(false)
      expect(textOf(lines, 'added')).toBe(before)
      expect(textOf(lines, 'removed')).toBe(after)
      const kept = kindsOf(lines).filter(kind => kind === 'same').length
      expect(kept).toBe(longestCommon(before.split('\n'), after.split('\n')))
    }),
    { numRuns: 500 },
  )
})

it('replaces what is too long or too unlike to compare, and says so', () => {
  const before = numbered('old', 6_000)
  const after = numbered('new', 6_000)
  const { lines, coarse } = lineDiff(`head\n${before}\ntail`, `head\n${after}\ntail`)
  expect(coarse).toBe(true)
  expect(lines).toHaveLength(12_002)
  expect(lines[0]?.kind).toBe('same')
  expect(lines.at(-1)?.kind).toBe('same')
  expect(lineDiff(numbered('old', 3_000), numbered('new', 3_000)).coarse).toBe(true)
})

it('compares a single change in a long text line by line', () => {
  const long = numbered('line', 60_000)
  const { lines, coarse } = lineDiff(long, long.replace('line 30000\n', ''))
  expect(coarse).toBe(false)
  expect(kindsOf(lines).filter(kind => kind !== 'same')).toEqual(['removed'])
})

function kindsOf(lines: readonly DiffLine[]): DiffLine['kind'][] {
  return lines.map(({ kind }) => kind)
}

function textOf(lines: readonly DiffLine[], without: DiffLine['kind']): string {
  return lines
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('\n')
}

function numbered(word: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${word} ${at}`).join('\n')
}

/** By the textbook: the length of the longest common subsequence. */
function longestCommon(one: readonly string[], other: readonly string[]): number {
  let row = new Array<number>(other.length + 1).fill(0)
  for (const line of one) {
    const next = [0]
    other.forEach((text, at) => {
      next.push(text === line ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0))
    })
    row = next
  }
  return row.at(-1) ?? 0
}
