import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LinearPattern, readPattern } from '../../../shared/json-schema/linear-pattern.ts'
import { titled } from '../../support/short.ts'

function accepted(pattern: string): LinearPattern {
  const read = readPattern(pattern)
  if (!read.ok) throw new Error(`${pattern} ${read.message}`)
  return read.pattern
}

const atom = fc.oneof(
  fc.constantFrom('a', 'b', '-', '/', '😀', 'é', '\u00a0', '.', '\\.', '\\/', '\\[', '\\\\', '^', '$', '\\b'),
  fc.constantFrom(
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\n',
    '\\t',
    '\\v',
    '\\0',
    '\\p{L}',
    '\\P{Lu}',
    '\\p{Nd}',
  ),
  fc.constantFrom(
    '\\x61',
    '\\u0061',
    '\\u{1F600}',
    '\\ud83d\\ude00',
    '[]',
    '[^]',
    '[a-c]',
    '[^a]',
    '[[]',
    '[[:alpha:]',
  ),
  fc.constantFrom(
    '[\\s\\S]',
    '[\\S\\n]',
    '[^\\s]',
    '[\\s-]',
    '[-a]',
    '[a\\-c]',
    '[\\b]',
    '[\\w.]',
    '[\\]a]',
    '[.^$]',
  ),
)
const pattern = fc.letrec<{ node: string }>(tie => ({
  node: fc.oneof(
    { depthSize: 'small' },
    atom,
    fc.tuple(tie('node'), tie('node')).map(([left, right]) => left + right),
    fc.tuple(tie('node'), tie('node')).map(([left, right]) => `(${left}|${right})`),
    fc
      .tuple(
        fc.constantFrom('(', '(?:', '(?<name>'),
        tie('node'),
        fc.constantFrom('', '*', '+?', '?', '{0,2}', '{2}'),
      )
      .map(([open, inner, times]) => `${open}${inner})${times}`),
  ),
})).node
const text = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'A',
      '1',
      '-',
      '.',
      '/',
      '[',
      ']',
      ':',
      '\\',
      ' ',
      '\n',
      '\r',
      '\t',
      '\v',
      '\b',
      '😀',
    ),
    {
      maxLength: 6,
    },
  )
  .chain(characters =>
    fc.constantFrom('', '\u00a0', '\u2028', '\ufeff', 'é', '_').map(last => characters.join('') + last),
  )

describe('a pattern', () => {
  it('matches what ECMA-262 matches', () => {
    const outcomes = { refused: 0, matched: 0, unmatched: 0 }
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const read = readPattern(source)
        // Names of groups may repeat, which is no regular expression.
        if (!read.ok) {
          outcomes.refused += 1
          expect(() => new RegExp(source, 'u')).toThrow(SyntaxError)
          return
        }
        const native = new RegExp(source, 'u')
        for (const value of texts) {
          const matches = read.pattern.test(value)
          expect(matches, `${JSON.stringify(source)} on ${JSON.stringify(value)}`).toBe(native.test(value))
          outcomes[matches ? 'matched' : 'unmatched'] += 1
        }
      }),
      { numRuns: 3_000 },
    )
    expect(Math.min(outcomes.matched, outcomes.unmatched)).toBeGreaterThan(1_000)
  })

  it.each([
    ['^[a-z0-9._-]+@example\\.com$', 'agent@example.com', 'agent@exampleXcom'],
    ['^[^@\\s]+$', 'text', 'a\u00a0b'],
    ['^.$', '😀', '\u2029'],
    ['c$', 'abc', 'abc\n'],
    ['^(?<year>\\d{4})-(\\d\\d)$', '2026-11', '2026-1'],
    ['', 'anything', null],
    ['^\\u{1F600}$', '😀', '😁'],
    // Compared by hand: V8 finds \\B between the halves of a character.
    ['\\B', '--', 'a😀_'],
    ['^[\\u0041-\\u{5a}]$', 'M', 'm'],
  ])('%s', (source, match, other) => {
    expect(accepted(source).test(match)).toBe(true)
    if (other !== null) expect(accepted(source).test(other)).toBe(false)
  })

  it.each(
    titled([
      ['(a)\\1', 'uses \\1'],
      ['(?<x>a)\\k<x>', 'uses \\k'],
      ['a(?=b)', 'look-around'],
      ['a(?!b)', 'look-around'],
      ['(?<=a)b', 'look-around'],
      ['(?<!a)b', 'look-around'],
      ['\\p{Script=Greek}', 'general category'],
      ['\\p{ASCII}', 'general category'],
      ['\\cA', 'uses \\c'],
      ['\\ud83d', 'half a character'],
      ['\\u{dead}', 'half a character'],
      ['(', 'not a regular expression'],
      ['\\_', 'not a regular expression'],
      ['[\\w-.]', 'not a regular expression'],
      ['(?i)a', 'not a regular expression'],
      ['\\Aa\\z', 'not a regular expression'],
      ['x{0,1001}', 'not accepted by the linear-time engine'],
      ['(a{100}){100}', 'not accepted by the linear-time engine'],
      ['(abcdefghi){999}', 'repeats too much'],
      ['x'.repeat(1_001), 'longer than 1000'],
    ]),
  )('%s is refused', (_, source, reason) => {
    const read = readPattern(source)
    expect(read.ok ? 'accepted' : read.message).toContain(reason)
  })
})

describe('patterns that make a backtracking engine hang', () => {
  const hostile = [
    '^(a+)+$',
    '^(a|aa)+$',
    '^(a|a?)+$',
    '^(.*a){20}$',
    '^(a*)*b$',
    '(a*)*c',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ]
  const bait = (length: number) => `${'a'.repeat(length)}!`

  it.each(hostile)('%s takes time in proportion to the text', source => {
    const { test } = accepted(source)
    expect(test(bait(250_000))).toBe(false)
    const eightfold = leastTime(() => test(bait(64_000))) / leastTime(() => test(bait(8_000)))
    // 8 if linear, 64 if quadratic; backtracking would not have come this far.
    expect(eightfold).toBeLessThan(32)
  })
})

function leastTime(run: () => unknown): number {
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return Math.min(...times)
}
