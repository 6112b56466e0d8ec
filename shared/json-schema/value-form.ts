import { isPlainObject, type JsonValue } from '../contract/base/json.ts'
import type { ValueForm } from './keywords.ts'

export const dialect = 'https://json-schema.org/draft/2020-12/schema'
export const typeNames = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'] as const

/** Returns what a wrong value must be, or null. References, patterns and `false` are judged elsewhere. */
export function formProblem(form: ValueForm, value: JsonValue): string | null {
  const { holds, must } = forms[form]
  return holds(value) ? null : must
}

interface Form {
  holds(value: JsonValue): boolean
  must: string
}

const anything: Form = { holds: () => true, must: '' }
const text: Form = { holds: value => typeof value === 'string', must: 'must be a text' }

const forms: Readonly<Record<ValueForm, Form>> = {
  anything,
  text,
  flag: { holds: value => typeof value === 'boolean', must: 'must be true or false' },
  number: { holds: Number.isFinite, must: 'must be a number' },
  positive: { holds: value => typeof value === 'number' && value > 0, must: 'must be a number above 0' },
  count: {
    holds: value => Number.isSafeInteger(value) && Number(value) >= 0,
    must: 'must be a whole number of at least 0',
  },
  names: { holds: isNames, must: 'must be a list of distinct texts' },
  name_lists: {
    holds: value => isPlainObject(value) && Object.values(value).every(isNames),
    must: 'must be an object of lists of distinct texts',
  },
  types: {
    holds: value =>
      Array.isArray(value) ? value.length > 0 && isNames(value) && value.every(isType) : isType(value),
    must: `must be one or several of ${typeNames.join(', ')}`,
  },
  list: { holds: Array.isArray, must: 'must be a list' },
  constants: {
    holds: value => Array.isArray(value) && value.length > 0,
    must: 'must be a list that is not empty',
  },
  pattern: text,
  reference: text,
  dialect: {
    holds: value => value === dialect || value === `${dialect}#`,
    must: `must be ${dialect}: no other dialect is read`,
  },
  false: anything,
  schema: { holds: isSchema, must: 'must be a schema: an object, true or false' },
  schemas: {
    holds: value => Array.isArray(value) && value.length > 0,
    must: 'must be a list of schemas that is not empty',
  },
  named_schemas: { holds: isPlainObject, must: 'must be an object of schemas' },
}

export function isSchema(value: JsonValue): boolean {
  return typeof value === 'boolean' || isPlainObject(value)
}

function isType(value: JsonValue): boolean {
  return typeNames.some(name => name === value)
}

function isNames(value: JsonValue): boolean {
  return (
    Array.isArray(value) &&
    value.every(name => typeof name === 'string') &&
    new Set(value).size === value.length
  )
}
