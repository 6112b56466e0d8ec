import type { JsonValue } from '../contract/json.ts'

/**
 * The canonical text of a value by RFC 8785: names sorted by UTF-16 code units, numbers and strings as ECMAScript
 * prints them (-0 as `0`), no white space. Throws a TypeError on what JSON cannot say (a number that is not finite,
 * a lone surrogate, undefined, a function), and a RangeError beyond 128 levels, where a cycle ends too: twice what
 * the strict reader admits, so that a payload may wrap what was read.
 */
export function canonicalJson(value: JsonValue): string {
  return print(value, 0)
}

const depthMax = 128

function print(value: JsonValue, depth: number): string {
  switch (typeof value) {
    case 'string':
      return printString(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
      return String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (depth === depthMax) throw new RangeError(`a JSON value of more than ${depthMax} levels`)
      return Array.isArray(value) ? printArray(value, depth + 1) : printObject(value, depth + 1)
    default:
      throw new TypeError(`${typeof value} is not a JSON value`)
  }
}

function printArray(items: JsonValue[], depth: number): string {
  let text = '['
  let separator = ''
  for (const item of items) {
    text += separator + print(item, depth)
    separator = ','
  }
  return `${text}]`
}

function printObject(members: { [name: string]: JsonValue }, depth: number): string {
  let text = '{'
  let separator = ''
  for (const name of sortedNames(members)) {
    text += `${separator}${printString(name)}:${print(members[name] as JsonValue, depth)}`
    separator = ','
  }
  return `${text}}`
}

const namesInsertedMax = 32

/** Insertion sort where there are few names: about twice as fast as `sort()`, and most objects are small. */
function sortedNames(members: { [name: string]: JsonValue }): string[] {
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

/** Anything but the characters that stand for themselves: controls, `"`, `\`, surrogates. */
const needsCare = /[^ !#-[\]-\ud7ff\ue000-\uffff]/
const loneSurrogate = /\p{Surrogate}/u

/** `JSON.stringify` escapes exactly as RFC 8785 asks; most strings hold nothing to escape and are only quoted. */
function printString(text: string): string {
  if (!needsCare.test(text)) return `"${text}"`
  if (loneSurrogate.test(text)) throw new TypeError('a lone surrogate is not Unicode text')
  return JSON.stringify(text)
}
