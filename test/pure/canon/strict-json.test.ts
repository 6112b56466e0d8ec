import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStrictJson } from '../../../shared/canon/strict-json.ts'
import { type StrictJsonCode, strictJsonCodes } from '../../../shared/canon/strict-reader.ts'
import { admittedTexts, refusedTexts } from '../../cases/strict-json.ts'
import { readableJson, writtenJson } from '../../support/fixtures/json-arbitrary.ts'

describe('texts that are refused', () => {
  it.each(refusedTexts.map(refusal => ({ shown: shown(refusal.text), ...refusal })))(
    '$code: $shown',
    refusal => {
      const { text, code, path, offset } = refusal
      const issue = readIssue(bytesOf(text))
      expect(issue.code).toBe(code)
      expect(issue.message).toContain(strictJsonCodes[code])
      if (path !== undefined) expect(issue.path).toBe(path)
      if (offset !== undefined) expect(issue.offset).toBe(offset)
    },
  )

  it('covers every code', () => {
    expect(new Set(refusedTexts.map(({ code }) => code))).toEqual(new Set(Object.keys(strictJsonCodes)))
  })

  it('cuts a long name in the path', () => {
    expect(readIssue(bytesOf(`{"${'n'.repeat(5000)}":1e400}`)).path).toBe('n'.repeat(100))
  })

  it('refuses every proper prefix of a text', () => {
    const text = bytesOf('{"a":[1,-2.5e3,true,false,null,{"b":"\\u00fc\\n"}],"ü":""}')
    for (let end = 0; end < text.length; end++) {
      expect(['invalid_json', 'invalid_utf8']).toContain(readIssue(text.subarray(0, end)).code)
    }
  })
})

describe('texts that are admitted', () => {
  it.each(admittedTexts.map(([text, printed]) => ({ shown: shown(text), text, printed })))(
    '$shown',
    ({ text, printed }) => {
      expect(JSON.stringify(readValue(bytesOf(text)))).toBe(printed)
    },
  )

  it('gives 0 for -0', () => {
    expect(readValue(bytesOf('-0'))).toBe(0)
  })

  it('makes ordinary objects that own what the text says', () => {
    const value = readValue(bytesOf('{"constructor":{"prototype":1},"0":[]}')) as object
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(value)).toEqual(['0', 'constructor'])
    expect(value).toEqual(JSON.parse('{"constructor":{"prototype":1},"0":[]}'))
  })

  it('reads a view into a larger buffer', () => {
    const whole = bytesOf('xx{"a":"ü"}xx')
    expect(readValue(new Uint8Array(whole.buffer, whole.byteOffset + 2, whole.length - 4))).toEqual({
      a: 'ü',
    })
  })

  it('reads an object of many names', () => {
    const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`name${n}`, n]))
    expect(readValue(bytesOf(JSON.stringify(members)))).toEqual(members)
  })
})

describe('beside other readers', () => {
  it('reads what JSON.stringify wrote', () => {
    fc.assert(
      fc.property(readableJson, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(readValue(bytesOf(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: 300 },
    )
  })

  it('agrees with JSON.parse, or names a loss that a naive reader finds too', () => {
    const codes = new Set<string>()
    fc.assert(
      fc.property(writtenJson, text => {
        codes.add(compareWithNaive(text))
      }),
      { numRuns: 3000 },
    )
    expect([...codes].sort()).toEqual([
      'duplicate_key',
      'forbidden_key',
      'lone_surrogate',
      'nul_character',
      'number_out_of_range',
      'ok',
    ])
  })

  it('agrees with JSON.parse on what is JSON where a byte of a text was changed', () => {
    fc.assert(
      fc.property(writtenJson, fc.nat(), fc.nat(255), (text, place, byte) => {
        const bytes = bytesOf(text)
        bytes[place % bytes.length] = byte
        const result = parseStrictJson(bytes)
        if (result.ok) expect(result.value).toEqual(withoutMinusZero(JSON.parse(decode(bytes))))
        else if (['invalid_json', 'invalid_utf8'].includes(result.issue.code))
          expect(() => JSON.parse(decode(bytes))).toThrow()
        else expect(result.issue.offset).toBeLessThan(bytes.length)
      }),
      { numRuns: 3000 },
    )
  })
})

/** Reads a text that is JSON with the strict reader and by `lossesOf`, and says what came of it. */
function compareWithNaive(text: string): string {
  const losses = lossesOf(text)
  const result = parseStrictJson(bytesOf(text))
  if (result.ok) {
    expect([...losses]).toEqual([])
    expect(result.value).toEqual(withoutMinusZero(JSON.parse(text)))
    return 'ok'
  }
  expect([...losses]).toContain(result.issue.code)
  return result.issue.code
}

/** Every code that applies to a text which is JSON: found from its tokens, by recursion, in another way than the reader. */
function lossesOf(text: string): Set<StrictJsonCode> {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? []
  const losses = new Set<StrictJsonCode>()
  let at = 0
  const string = (): string => {
    const value: string = JSON.parse(tokens[at++] as string)
    if (value !== Buffer.from(value).toString()) losses.add('lone_surrogate')
    if (value.split('').some(character => character.charCodeAt(0) === 0)) losses.add('nul_character')
    return value
  }
  const value = (): void => {
    const token = tokens[at] as string
    if (token.startsWith('"')) string()
    else if (token === '{') members()
    else if (token === '[') items()
    else {
      at++
      if (/\d/.test(token) && numberIsLost(token)) losses.add('number_out_of_range')
    }
  }
  const items = (): void => {
    at++
    while (tokens[at] !== ']') {
      value()
      if (tokens[at] === ',') at++
    }
    at++
  }
  const members = (): void => {
    at++
    const names: string[] = []
    while (tokens[at] !== '}') {
      const name = string()
      if (names.includes(name)) losses.add('duplicate_key')
      if (name === '__proto__') losses.add('forbidden_key')
      names.push(name)
      at++
      value()
      if (tokens[at] === ',') at++
    }
    at++
  }
  value()
  return losses
}

function numberIsLost(literal: string): boolean {
  const value = JSON.parse(literal)
  if (Object.is(Math.abs(value), 0)) return /[1-9]/.test(literal.split(/e/i)[0] as string)
  return value >= 2 ** 53 || value <= -(2 ** 53)
}

function withoutMinusZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

function shown(text: string | Uint8Array): string {
  return JSON.stringify(bytesOf(text).subarray(0, 60).toString('latin1'))
}

function bytesOf(text: string | Uint8Array): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : Buffer.from(text)
}

function readValue(bytes: Uint8Array): unknown {
  const result = parseStrictJson(bytes)
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.issue)}`)
  return result.value
}

function readIssue(bytes: Uint8Array) {
  const result = parseStrictJson(bytes)
  if (result.ok) throw new Error(`admitted: ${JSON.stringify(result.value)}`)
  return result.issue
}
