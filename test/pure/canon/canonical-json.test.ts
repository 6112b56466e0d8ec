import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { parseStrictJson } from '../../../shared/canon/strict-json.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import { readVector } from '../../support/audit/published-vectors.ts'
import { readableJson } from '../../support/fixtures/json-arbitrary.ts'

describe('the examples of RFC 8785', () => {
  it('section 3.2.2: numbers, strings and literals', () => {
    const input = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    expect(canonicalJson(JSON.parse(input))).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('section 3.2.3: names sort by UTF-16 code units', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6']
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']
    const text = canonicalJson(Object.fromEntries(names.map(name => [name, 0])))
    expect(Object.keys(JSON.parse(text)).sort()).toEqual([...sorted].sort())
    expect(text).toBe(`{${sorted.map(name => `${JSON.stringify(name)}:0`).join(',')}}`)
  })

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555555', '333333333.3333333'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('appendix B: %s is %s', (bits, text) => {
    expect(canonicalJson(doubleOf(bits))).toBe(text)
  })
})

describe('frozen objects, whose texts are remembered', () => {
  it('read as every other, each time', () => {
    const check = { path: 'a', code: null, check: 'x "y"', '\u00e9': [1].length }
    const shared = Object.freeze({ ...check })
    for (const value of [shared, [shared, shared], { b: shared, a: shared }]) {
      expect(canonicalJson(value)).toBe(canonicalize(value))
    }
    expect(canonicalJson([check, shared])).toBe(`[${canonicalize(check)},${canonicalize(check)}]`)
  })

  it('are read anew where they hold an object that can change', () => {
    const inner: { [name: string]: JsonValue } = { a: 1 }
    const list: JsonValue[] = [1]
    const outer = Object.freeze({ inner, list })
    expect(canonicalJson(outer)).toBe('{"inner":{"a":1},"list":[1]}')
    inner.a = 2
    list.push(2)
    expect(canonicalJson(outer)).toBe('{"inner":{"a":2},"list":[1,2]}')
  })

  it('are refused each time where JSON cannot say them', () => {
    const wrong = Object.freeze({ a: Number.NaN })
    expect(() => canonicalJson(wrong)).toThrow(TypeError)
    expect(() => canonicalJson(wrong)).toThrow(TypeError)
  })
})

describe('what JSON cannot say', () => {
  it.each([
    ['NaN', Number.NaN, TypeError],
    ['Infinity', [Number.POSITIVE_INFINITY], TypeError],
    ['a lone surrogate', { a: '\ud800' }, TypeError],
    ['a lone surrogate in a name', { '\udc00': 1 }, TypeError],
    ['undefined', { a: undefined }, TypeError],
    ['a hole', new Array(1), TypeError],
    ['a function', () => 1, TypeError],
    ['a bigint', 1n, TypeError],
    ['129 levels', nested(129), RangeError],
    ['a cycle', cycle(), RangeError],
  ])('refuses %s', (_, value, error) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(error)
  })

  it('admits 128 levels', () => {
    expect(canonicalJson(nested(128))).toBe('['.repeat(128) + ']'.repeat(128))
  })
})

it('escapes a character where JSON.stringify does', () => {
  for (let code = 0; code <= 0xffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCharCode(code)
    expect(canonicalJson(character)).toBe(JSON.stringify(character))
  }
})

describe('any value', () => {
  it('has the text that the package canonicalize gives', () => {
    fc.assert(
      fc.property(readableJson, value => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      {
        numRuns: 500,
      },
    )
  })

  it('has it with many names too, in whatever order they came', () => {
    const names = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 3 }), {
      minLength: 28,
      maxLength: 80,
    })
    fc.assert(
      fc.property(names, keys => {
        const value = Object.fromEntries(keys.filter(key => key !== '__proto__').map((key, n) => [key, n]))
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 300 },
    )
  })

  it('comes back from its text, and the text is its own canonical form', () => {
    fc.assert(
      fc.property(readableJson, value => {
        const text = canonicalJson(value)
        const parsed = parseStrictJson(Buffer.from(text))
        expect(parsed).toEqual({ ok: true, value })
        if (parsed.ok) expect(canonicalJson(parsed.value)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the published vectors', () => {
  it.each(['arrays', 'french', 'structures', 'unicode', 'values', 'weird'])('document %s', name => {
    const text = canonicalJson(JSON.parse(readVector(`jcs/input/${name}.json`)))
    expect(text).toBe(readVector(`jcs/output/${name}.json`).trimEnd())
    const hex = readVector(`jcs/outhex/${name}.txt`).replace(/\s/g, '')
    expect(Buffer.from(text).toString('hex')).toBe(hex)
  })

  it('10,000 numbers', () => {
    const lines = readVector('jcs/es6-numbers-10000.txt').trimEnd().split('\n')
    const wrong = lines.filter(line => {
      const [bits = '', text] = line.split(',')
      return canonicalJson(doubleOf(bits)) !== text
    })
    expect(lines).toHaveLength(10_000)
    expect(wrong).toEqual([])
  })
})

function doubleOf(bits: string): number {
  return Buffer.from(bits.padStart(16, '0'), 'hex').readDoubleBE()
}

function nested(levels: number): JsonValue {
  let value: JsonValue = []
  for (let level = 1; level < levels; level++) value = [value]
  return value
}

function cycle(): JsonValue {
  const value: JsonValue[] = []
  value.push({ value })
  return value
}
