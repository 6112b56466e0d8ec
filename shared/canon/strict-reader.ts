import type { JsonValue } from '../contract/base/json.ts'

/**
 * Reads one JSON text by the rules of `parseStrictJson`, without recursion. The text must be decoded from valid
 * UTF-8.
 */
export class StrictReader {
  private readonly text: string
  private at = 0
  private depth = 0
  private justOpened = false
  private readonly containers: (JsonValue[] | JsonObject)[] = []
  private readonly keys: Key[] = []

  constructor(text: string) {
    this.text = text
  }

  read(): JsonValue {
    const root = this.readValue()
    while (this.depth > 0) {
      const level = this.depth - 1
      const container = this.containers[level] as JsonValue[] | JsonObject
      if (Array.isArray(container)) {
        if (this.nextItem(level, container)) container.push(this.readValue())
      } else if (this.nextMember(level, container)) {
        container[this.keys[level] as string] = this.readValue()
      }
    }
    this.skipSpace()
    if (this.at < this.text.length) this.refuse('invalid_json', this.at, 'something follows the value')
    return root
  }

  /** Reads a scalar, or only opens an object or array. The loop in `read` then reads the members. */
  private readValue(): JsonValue {
    const code = this.skipSpace()
    if (code === quote) return this.readString()
    if (code === openBrace) return this.open({})
    if (code === openBracket) return this.open([])
    if (code === minus || (code >= 0x30 && code <= 0x39)) return this.readNumber()
    return this.readWord()
  }

  private open<Container extends JsonValue[] | JsonObject>(container: Container): Container {
    if (this.depth === depthMax) this.refuse('too_deep', this.at)
    this.containers[this.depth] = container
    this.keys[this.depth] = undefined
    this.depth++
    this.at++
    this.justOpened = true
    return container
  }

  private nextItem(level: number, items: JsonValue[]): boolean {
    if (!this.goesOn(closeBracket)) return false
    this.keys[level] = items.length
    return true
  }

  private nextMember(level: number, members: JsonObject): boolean {
    if (!this.goesOn(closeBrace)) return false
    this.keys[level] = undefined
    const start = this.at
    if (this.skipSpace() !== quote) this.refuse('invalid_json', this.at, 'a name in quotes is missing')
    const name = this.readString()
    this.keys[level] = name
    if (name === '__proto__') this.refuse('forbidden_key', start)
    if (Object.hasOwn(members, name)) this.refuse('duplicate_key', start)
    if (this.skipSpace() !== colon) this.refuse('invalid_json', this.at, 'a colon is missing')
    this.at++
    return true
  }

  private goesOn(close: number): boolean {
    const code = this.skipSpace()
    const first = this.justOpened
    this.justOpened = false
    if (code === close) {
      this.at++
      this.depth--
      return false
    }
    if (first) return true
    if (code !== comma)
      this.refuse('invalid_json', this.at, `a comma or ${String.fromCharCode(close)} is missing`)
    this.at++
    return true
  }

  private readString(): string {
    const { text } = this
    const start = this.at + 1
    for (let end = start; ; end++) {
      const code = text.charCodeAt(end)
      if (code === quote) {
        this.at = end + 1
        return text.slice(start, end)
      }
      if (code === backslash) return this.readEscaped(end)
      if (!(code >= 0x20)) this.refuseInString(end)
    }
  }

  /**
   * Reads a string with escapes. Only an escape can yield a lone surrogate or a NUL, since the bytes were valid
   * UTF-8.
   */
  private readEscaped(firstEscape: number): string {
    const { text, at } = this
    let end = firstEscape
    for (let code = backslash; code !== quote; code = text.charCodeAt(end)) {
      if (Number.isNaN(code)) this.refuseInString(end)
      end += code === backslash ? 2 : 1
    }
    this.at = end + 1
    const value = this.unescape(at, end + 1)
    if (loneSurrogate.test(value)) this.refuse('lone_surrogate', at)
    if (value.includes('\0')) this.refuse('nul_character', at)
    return value
  }

  /** Decodes escapes with `JSON.parse`, because escapes are rare and `JSON.parse` refuses invalid ones. */
  private unescape(start: number, end: number): string {
    try {
      return JSON.parse(this.text.slice(start, end)) as string
    } catch {
      return this.refuse('invalid_json', start, 'a string holds an unknown escape or a control character')
    }
  }

  private readNumber(): number {
    numberPattern.lastIndex = this.at
    if (!numberPattern.test(this.text)) this.refuse('invalid_json', this.at, 'a number is malformed')
    const literal = this.text.slice(this.at, numberPattern.lastIndex)
    const value = Number(literal)
    const lost = value === 0 ? nonZero.test(literal) : Math.abs(value) > Number.MAX_SAFE_INTEGER
    if (lost) this.refuse('number_out_of_range', this.at)
    this.at += literal.length
    return value === 0 ? 0 : value
  }

  private readWord(): JsonValue {
    for (const [word, value] of words) {
      if (!this.text.startsWith(word, this.at)) continue
      this.at += word.length
      return value
    }
    return this.refuse('invalid_json', this.at, 'a value is missing')
  }

  /** Skips white space and returns the next code unit, or NaN at the end. */
  private skipSpace(): number {
    let code = this.text.charCodeAt(this.at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = this.text.charCodeAt(++this.at)
    }
    return code
  }

  private refuseInString(at: number): never {
    this.refuse('invalid_json', at, 'a string does not end, or holds a control character that is not escaped')
  }

  private refuse(code: StrictJsonCode, at: number, detail = ''): never {
    throw new StrictJsonRefusal(code, at, pathOf(this.keys.slice(0, this.depth)), detail)
  }
}

export const strictJsonCodes = {
  invalid_utf8: 'the text is not valid UTF-8',
  byte_order_mark: 'the text begins with a byte-order mark',
  invalid_json: 'the text is not JSON',
  duplicate_key: 'the name stands twice in one object',
  forbidden_key: 'the name __proto__ is not allowed',
  number_out_of_range:
    'the number does not survive as a double: beyond ±(2^53-1), or too small to differ from 0',
  lone_surrogate: 'half of a surrogate pair is not Unicode text',
  nul_character: 'the character U+0000 is not allowed',
  too_deep: 'more than 64 levels of objects and arrays',
} as const
export type StrictJsonCode = keyof typeof strictJsonCodes

/** An error that never leaves the reader; `at` counts UTF-16 code units of the text. */
export class StrictJsonRefusal extends Error {
  readonly code: StrictJsonCode
  readonly at: number
  readonly path: string

  constructor(code: StrictJsonCode, at: number, path: string, detail: string) {
    super(detail === '' ? strictJsonCodes[code] : `${strictJsonCodes[code]}: ${detail}`)
    this.code = code
    this.at = at
    this.path = path
  }
}

type JsonObject = { [name: string]: JsonValue }
type Key = string | number | undefined

const depthMax = 64
const nameShownMax = 100

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const nonZero = /^-?[0.]*[1-9]/
const loneSurrogate = /\p{Surrogate}/u
const words: [string, JsonValue][] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

function pathOf(keys: readonly Key[]): string {
  return keys.reduce<string>((path, key) => {
    if (key === undefined) return path
    if (typeof key === 'number') return `${path}[${key}]`
    const name = key.slice(0, nameShownMax)
    return path === '' ? name : `${path}.${name}`
  }, '')
}
