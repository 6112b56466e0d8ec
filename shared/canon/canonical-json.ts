import type { JsonValue } from '../contract/base/json.ts'

/**
 * Returns the canonical text of a value by RFC 8785: names sorted by UTF-16 code units, numbers and strings as
 * ECMAScript prints them (-0 as `0`), no white space. Throws a TypeError for a value that JSON cannot express,
 * such as a lone surrogate, undefined or an infinite number. Throws a RangeError beyond 128 levels, so a cyclic
 * value ends there. The strict reader allows half as many levels, so that a payload may wrap a document that was
 * read.
 */
export function canonicalJson(value: JsonValue): string {
  return print('', value, 0)
}

const depthMax = 128

function print(text: string, value: JsonValue, depth: number): string {
  switch (typeof value) {
    case 'string':
      return needsCare.test(value) ? text + printCarefully(value) : `${text}"${value}"`
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
      return text + String(value)
    case 'boolean':
      return text + (value ? 'true' : 'false')
    case 'object':
      if (value === null) return `${text}null`
      if (depth === depthMax) throw new RangeError(`a JSON value of more than ${depthMax} levels`)
      return Array.isArray(value) ? printArray(text, value, depth + 1) : printObject(text, value, depth + 1)
    default:
      throw new TypeError(`${typeof value} is not a JSON value`)
  }
}

function printArray(before: string, items: JsonValue[], depth: number): string {
  let text = `${before}[`
  let separator = ''
  for (const item of items) {
    text = print(text + separator, item, depth)
    separator = ','
  }
  return `${text}]`
}

type Members = { [name: string]: JsonValue }

function printObject(before: string, members: Members, depth: number): string {
  const known = frozenTexts.get(members)
  if (known !== undefined) return before + known
  if (!Object.isFrozen(members)) return printMembers(before, members, depth)
  const text = printMembers('', members, depth)
  if (Object.values(members).every(isPlain)) frozenTexts.set(members, text)
  return before + text
}

/** A cache of the canonical texts of frozen plain objects. Caching is safe because these objects cannot change. */
const frozenTexts = new WeakMap<Members, string>()

function isPlain(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null
}

function printMembers(before: string, members: Members, depth: number): string {
  let text = `${before}{`
  let separator = ''
  for (const name of sortedNames(members)) {
    text = print(text + separator + printName(name), members[name] as JsonValue, depth)
    separator = ','
  }
  return `${text}}`
}

const namesKnownMax = 2_000
const nameKnownLengthMax = 64
/**
 * A cache of printed names. It is bounded, because callers could otherwise fill the memory with invented names.
 */
const knownNames = new Map<string, string>()

function printName(name: string): string {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const text = `${needsCare.test(name) ? printCarefully(name) : `"${name}"`}:`
  if (name.length <= nameKnownLengthMax && knownNames.size < namesKnownMax) knownNames.set(name, text)
  return text
}

const namesInsertedMax = 32

/**
 * Sorts up to 32 names by insertion, because that is about twice as fast as `sort()` and most objects are small.
 */
function sortedNames(members: Members): string[] {
  const names = Object.keys(members)
  if (names.length > namesInsertedMax) return names.sort()
  for (let next = 1; next < names.length; next++) {
    const name = names[next] as string
    let place = next
    for (; place > 0 && (names[place - 1] as string) > name; place--)
      names[place] = names[place - 1] as string
    names[place] = name
  }
  return names
}

const needsCare = /[^ !#-[\]-\ud7ff\ue000-\uffff]/
const loneSurrogate = /\p{Surrogate}/u

/** Escapes with `JSON.stringify`, because its escapes are exactly those of RFC 8785. */
function printCarefully(text: string): string {
  if (loneSurrogate.test(text)) throw new TypeError('a lone surrogate is not Unicode text')
  return JSON.stringify(text)
}
