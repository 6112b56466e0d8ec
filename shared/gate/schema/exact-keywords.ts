import { _, type FuncKeywordDefinition } from 'ajv/dist/2020.js'
import { canonicalJson } from '../../canon/canonical-json.ts'
import type { JsonValue } from '../../contract/json.ts'
import { constantSet } from '../constant-set.ts'
import { multipleOf } from './multiple-of.ts'
import type { Spending } from './spending.ts'

/**
 * Keywords that the validator's own definitions get wrong for some JSON, or do in more than linear time: equality trips
 * over members named `constructor` or `valueOf`, uniqueness over `__proto__` and is quadratic, multiples of fractions are
 * divided as doubles, and lengths are counted without need. Equality is by canonical JSON, as everywhere.
 */
export function exactKeywords(spending: Spending): FuncKeywordDefinition[] {
  const textOf = (value: JsonValue): string => {
    const text = canonicalJson(value)
    spending.spend(text.length)
    return text
  }
  const lengthOf = (text: string): number => {
    spending.spend(text.length)
    return codePointsIn(text)
  }
  return [
    keyword('enum', 'array', (constants: JsonValue[]) => constantSet(constants, textOf)),
    keyword('const', undefined, (constant: JsonValue) => constantSet([constant], textOf)),
    keyword('uniqueItems', 'boolean', (unique: boolean) => (items: JsonValue[]) => {
      return !unique || new Set(items.map(textOf)).size === items.length
    }),
    keyword('multipleOf', 'number', multipleOf),
    keyword('minLength', 'number', (min: number) => (text: string) => {
      return text.length >= min && (text.length >= 2 * min || lengthOf(text) >= min)
    }),
    keyword('maxLength', 'number', (max: number) => (text: string) => {
      return text.length <= max || (text.length <= 2 * max && lengthOf(text) <= max)
    }),
  ]
}

const about = new Map<string, 'string' | 'number' | 'array'>([
  ['uniqueItems', 'array'],
  ['multipleOf', 'number'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
])

function keyword<Value, Data>(
  name: string,
  schemaType: 'array' | 'boolean' | 'number' | undefined,
  compile: (value: Value) => (data: Data) => boolean,
): FuncKeywordDefinition {
  const type = about.get(name)
  return {
    keyword: name,
    ...(type ? { type } : {}),
    ...(schemaType ? { schemaType } : {}),
    compile,
    errors: false,
    error:
      schemaType === 'number'
        ? { message: '', params: ({ schemaCode }) => _`{limit: ${schemaCode}}` }
        : { message: '' },
  }
}

function codePointsIn(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at += 1) {
    if (isHighSurrogate(text.charCodeAt(at))) count -= 1
  }
  return count
}

/** Text that reached the gate is well formed: a low surrogate follows. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
