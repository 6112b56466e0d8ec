import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSuspicious, seenJson, stretchesOf } from '../../../api/web/lib/suspicious.ts'

const marksIn = (text: string) =>
  stretchesOf(text).flatMap(({ text: part, mark }) =>
    mark ? [{ part, kind: mark.kind, name: mark.name }] : [],
  )

describe('marks', () => {
  test.each([
    ['a right-to-left override', 'pay\u202Egnp.exe', '\u202E', 'direction', 'U+202E'],
    ['an isolate', 'a\u2066b', '\u2066', 'direction', 'U+2066'],
    ['an Arabic letter mark', 'a\u061Cb', '\u061C', 'direction', 'U+061C'],
    ['a zero-width space', 'ad\u200Bmin', '\u200B', 'invisible', 'U+200B'],
    ['a zero-width joiner', 'ad\u200Dmin', '\u200D', 'invisible', 'U+200D'],
    ['a byte-order mark', '\uFEFFpay', '\uFEFF', 'invisible', 'U+FEFF'],
    ['a soft hyphen', 'pay\u00ADpal', '\u00AD', 'invisible', 'U+00AD'],
    ['a tag character', 'ok\u{E0041}', '\u{E0041}', 'invisible', 'U+E0041'],
    ['a Hangul filler', 'a\u3164b', '\u3164', 'invisible', 'U+3164'],
    ['a second selector behind a picture', '\u2764\uFE0F\uFE0F', '\uFE0F', 'invisible', 'U+FE0F'],
    ['a format control of music', 'pay\u{1D173}pal', '\u{1D173}', 'invisible', 'U+1D173'],
    ['a format control of shorthand', 'a\u{1BCA0}b', '\u{1BCA0}', 'invisible', 'U+1BCA0'],
    ['a space that is none', 'a\u00A0b', '\u00A0', 'invisible', 'U+00A0'],
    ['a fifth accent on a letter', 'o\u0301\u0300\u0302\u0303\u0308', '\u0308', 'stacked', 'U+0308'],
    ['a fifth accent on a space', ' \u0301\u0300\u0302\u0303\u0308', '\u0308', 'stacked', 'U+0308'],
    ['an escape', 'a\u001Bb', '\u001B', 'control', 'U+001B'],
    ['a carriage return', 'a\rb', '\r', 'control', 'U+000D'],
  ])('%s', (_, ...[text, part, kind, code]) => {
    expect(marksIn(text)).toEqual([{ part, kind, name: expect.stringContaining(code) }])
  })

  test.each([
    ['a Cyrillic a in paypal', 'p\u0430ypal', 'Latin and Cyrillic'],
    ['a Greek omicron in Google', 'G\u03BFogle', 'Latin and Greek'],
  ])('%s, as a word', (_, word, scripts) => {
    expect(marksIn(`send to ${word} now`)).toEqual([
      { part: word, kind: 'mixed', name: expect.stringContaining(scripts) },
    ])
  })

  test('what cannot be seen in a word that mixes scripts', () => {
    expect(marksIn('p\u0430y\u034Fpal').map(({ part, kind }) => [part, kind])).toEqual([
      ['p\u0430y', 'mixed'],
      ['\u034F', 'invisible'],
      ['pal', 'mixed'],
    ])
  })

  test('each accent of a pile but the first ones, so that none covers other lines', () => {
    const pile = '\u0301'.repeat(1_000)
    expect(marksIn(`p\u0430y${pile}`).filter(({ kind }) => kind === 'stacked')).toHaveLength(996)
    expect(marksIn(`"${pile}"`)).toHaveLength(996)
  })

  test.each([
    'plain words, 1,234.50 EUR\n\tand a line',
    'Zürich, São Paulo, Łódź, naïve',
    'Оплата счёта 42',
    'Πληρωμή 7',
    'refund für Анна',
    '退款 ¥500 を 送る 결제',
    'مرحبا بالعالم',
    '👍 done – “quoted” … ✓',
    '❤️ 👩‍💻 👍🏽',
    'tie\u0302\u0301ng Vie\u0323\u0302t, बिक्री, นี้, בְּרֵאשִׁ֖ית',
  ])('nothing in %s', text => {
    expect(isSuspicious(text)).toBe(false)
  })
})

test('nothing is lost and nothing is added, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
      const stretches = stretchesOf(text)
      expect(stretches.map(stretch => stretch.text).join('')).toBe(text)
      const ends = stretches.map(({ at, text: { length } }) => at + length)
      expect(stretches.map(({ at }) => at)).toEqual([0, ...ends].slice(0, stretches.length))
    }),
    { numRuns: 2_000 },
  )
})

test('a long text without anything odd is one stretch', () => {
  expect(stretchesOf('x'.repeat(10_000))).toHaveLength(1)
  expect(stretchesOf('ж'.repeat(10_000))).toHaveLength(1)
})

describe('a JSON text that is edited', () => {
  const hostile =
    'DE89 \u202e0044\u00a00001\u2066 \u05d0 20 \u05d1 \ufeff\u3164\u0085\u2028e\u0301\u0301\u0301\u0301\u0301 \u{e0041}'

  test('shows as escapes what a box shows as nothing or in another order', () => {
    const text = seenJson(JSON.stringify({ iban: hostile, [hostile]: 1 }, null, 2))
    expect(text).toContain(
      'DE89 \\u202e0044\\u00a00001\\u2066 \\u05d0 20 \\u05d1 \\ufeff\\u3164\\u0085\\u2028e',
    )
    expect(JSON.parse(text)).toEqual({ iban: hostile, [hostile]: 1 })
    expect(seenJson(text)).toBe(text)
  })

  test('is the same value, whatever is in it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
        expect(JSON.parse(seenJson(JSON.stringify(value, null, 2)))).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })

  test('keeps letters with their accents, and pictures', () => {
    const text = '{\n\t"name": "Größe Ælfrēd 東京 ❤\ufe0f"\n}'
    expect(seenJson(text)).toBe(text)
  })
})
