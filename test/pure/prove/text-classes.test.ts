import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPattern } from '../../../shared/json-schema/linear-pattern.ts'
import { textClasses } from '../../../shared/policy-analysis/search/text-classes.ts'
import { isSmallPattern, likelyText, textSpaceOf } from '../../../shared/policy-analysis/search/text-space.ts'

const part = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '[ab]',
    '[^a]',
    '.',
    '\\d',
    '\\w',
    '\\s',
    '\\b',
    '\\B',
    '^',
    '$',
    '[Aa]',
    'é',
    '😀',
  ),
  fc.constantFrom('(?:ab|b)', '(?:a|^)', '(?:b|$)', '\\p{Lu}', '[^]', '[]', 'ab?', '\\n'),
)
const pattern = fc
  .array(fc.tuple(part, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}')), { maxLength: 4 })
  .map(parts =>
    parts.map(([text, times]) => (/^(?:\^|\$|\\[bB])$/.test(text) ? text : text + times)).join(''),
  )
  .filter(text => readPattern(text).ok)
const letters = ['a', 'b', 'A', '1', '_', ' ', '\n', '-', 'é', 'É', '😀', '\u2028']
const text = fc.array(fc.constantFrom(...letters), { maxLength: 5 }).map(parts => parts.join(''))

it('every text is of a class that is told, and none is told twice', () => {
  const lengths = [0, 1, 3]
  const tests = (patterns: string[], value: string) =>
    patterns.map(source => {
      const read = readPattern(source)
      return Number(read.ok && read.pattern.test(value))
    })
  const classOf = (patterns: string[], value: string): string =>
    `${tests(patterns, value)} ${lengths.filter(length => length <= [...value].length)}`
  fc.assert(
    fc.property(
      fc.array(pattern, { minLength: 1, maxLength: 2 }),
      fc.array(text, { minLength: 12 }),
      (some, texts) => {
        const patterns = [...new Set(some)]
        const excluded = new Set(texts.slice(0, 3))
        const isKnown = (value: string) => excluded.has(value)
        const { values, complete } = textClasses(textSpaceOf(patterns), {
          lengths,
          lengthMax: 1_000,
          isKnown,
        })
        expect(complete, String(patterns)).toBe(true)
        expect(values.filter(isKnown)).toEqual([])
        const told = values.map(value => classOf(patterns, value))
        expect(told).toEqual([...new Set(told)])
        const met = texts.filter(value => !isKnown(value)).map(value => classOf(patterns, value))
        expect(told, String(patterns)).toEqual(expect.arrayContaining(met))
      },
    ),
    { numRuns: 80 },
  )
})

it.each([
  ['an identifier', '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$', true],
  ['a role', '^arn:aws[a-z-]*:iam::\\d{12}:role/[\\w+=,.@/-]{1,512}$', true],
  ['letters', '^\\p{L}{1,80}$', true],
  ['an address', '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', true],
  ['one that is too large', '^[ab]*b[ab]{12}$', false],
])('%s: whether it is decided exactly, and a text that it matches', (_, source, small) => {
  expect(isSmallPattern(source)).toBe(small)
  const read = readPattern(source)
  expect(read.ok && read.pattern.test(likelyText(source))).toBe(true)
})
