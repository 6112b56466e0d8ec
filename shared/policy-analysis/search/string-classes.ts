import type { JsonSet } from '../predicate.ts'

/** Texts that patterns often accept. They are tried if a schema has an opaque keyword. */
export const commonTexts = [
  ...[
    'a',
    'A',
    '0',
    '1',
    'abc',
    'ABC',
    'AAA',
    '123',
    '1234',
    '12345678',
    'a1',
    'A1',
    'A-1',
    'a-1',
    'a_1',
    'ab',
    'AB',
  ],
  ...[
    'EUR',
    'order-1',
    '1.00',
    '2026-01-31',
    '2026-01-31T12:00:00Z',
    '12:00',
    'a@example.com',
    '+4912345678',
  ],
  ...[
    'https://example.com',
    'example.com',
    '127.0.0.1',
    '123e4567-e89b-42d3-a456-426614174000',
    '/a',
    '#aaaaaa',
  ],
]

export function stringClasses(lengths: readonly number[], known: JsonSet, lengthMax: number): string[] {
  const usual = base.length
  const starts = [...new Set([usual, 0, 1, ...lengths])].filter(length => length <= lengthMax)
  return starts.flatMap(length => freshText(length, known))
}

const base = 'example'

function freshText(length: number, known: JsonSet): string[] {
  if (length === 0) return known.has('') ? [] : ['']
  const text = base.slice(0, length).padEnd(length, '.')
  for (let code = 0x61; known.has(text); code += 1) {
    const other = String.fromCodePoint(code) + text.slice(1)
    if (!known.has(other)) return [other]
  }
  return [text]
}
