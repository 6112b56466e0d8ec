import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { misspelledAt } from '../../../shared/canon/spelling.ts'
import { readableJson } from '../../support/fixtures/json-arbitrary.ts'

describe('the spelling of a JSON text', () => {
  it('is that of RFC 8785 in what prints canonically, also with space between tokens', () => {
    fc.assert(
      fc.property(readableJson, value => {
        const text = canonicalJson(value)
        expect(misspelledAt(text)).toBeNull()
        expect(misspelledAt(JSON.stringify(JSON.parse(text), null, 3))).toBeNull()
      }),
    )
  })

  it.each([
    ['{"a":"\\u0041"}', 5],
    ['{"\\u0061":1}', 1],
    ['["\\u001F"]', 1],
    ['["\\/"]', 1],
    ['["\\u000a"]', 1],
    ['["a",1.0]', 5],
    ['[-0]', 1],
    ['[1E-7]', 1],
    ['[1e2]', 1],
    ['[0.10]', 1],
    ['"\\\\\\u0041"', 0],
  ])('%s is misspelled at %i', (text, at) => {
    expect(misspelledAt(text)).toBe(at)
  })

  it.each(['"\\\\"', '["\\"",":1.0,"]', '[1e-7,1e+21,-1.5,0]', '["\u007f\u2028é"]', '{"1.0":"\\n"}'])(
    '%s is spelled well',
    text => {
      expect(misspelledAt(text)).toBeNull()
    },
  )
})
