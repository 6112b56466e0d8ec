import {
  isPlainObject,
  type JsonObject,
  type JsonValue,
  setMember as setOwn,
} from '../../contract/base/json.ts'
import type { Found, Place } from '../path.ts'
import type { Level } from './alternatives.ts'

export function propertyOf(way: readonly Level[], name: string): Place['meets'] {
  return way.flatMap(({ book, facts }) => {
    const schema = facts.properties.get(name)
    return schema === undefined ? [] : [{ book, schema }]
  })
}

export function presenceIn(way: readonly Level[], name: string, wanted: boolean): Place['presence'] {
  const required = wanted || way.some(({ facts }) => facts.required.includes(name))
  if (isAdmitted(way, name)) return required ? 'required' : 'optional'
  return required ? 'never' : 'missing'
}

export function isClosed(way: readonly Level[]): boolean {
  return way.some(({ facts }) => facts.closed)
}

export function inheritedBy(constants: readonly JsonValue[], name: string): JsonValue[] {
  return constants.filter(isPlainObject).flatMap(constant => {
    const value = Object.hasOwn(constant, name) ? constant[name] : undefined
    return value === undefined ? [] : [value]
  })
}

export function objectOf(names: readonly string[], values: Found['values']): JsonObject {
  const object: JsonObject = {}
  for (const [at, name] of names.entries()) setMember(object, name, values[at])
  return object
}

export function setMember(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value !== undefined) setOwn(object, name, value)
}

/**
 * Returns true if an object may have the member. `__proto__` is refused, because the strict reader never
 * produces it.
 */
function isAdmitted(way: readonly Level[], name: string): boolean {
  return name !== '__proto__' && way.every(({ facts }) => !facts.closed || facts.properties.has(name))
}
