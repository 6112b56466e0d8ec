import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { shorten } from './faults.ts'

/**
 * A function that completes the message "amount …" with the demand of a keyword. `holder` is the schema
 * around it.
 */
type Expectation = (asked: JsonValue, holder: JsonObject) => string

/** Messages by keyword. A message quotes only the schema, never the value that was sent. */
const expectations: ReadonlyMap<string, Expectation> = new Map<string, Expectation>([
  ['type', asked => `must be ${[asked].flat().map(typeName).join(' or ')}`],
  ['const', asked => `must be ${shown(asked)}`],
  ['enum', asked => `must be one of ${listed(asked)}`],

  ['minimum', asked => `must be at least ${asked}`],
  ['maximum', asked => `must be at most ${asked}`],
  ['exclusiveMinimum', asked => `must be greater than ${asked}`],
  ['exclusiveMaximum', asked => `must be less than ${asked}`],
  ['multipleOf', asked => `must be a multiple of ${asked}`],

  ['minLength', asked => `must have at least ${counted(asked, 'character')}`],
  ['maxLength', asked => `must have at most ${counted(asked, 'character')}`],
  ['pattern', asked => `must match ${cut(String(asked))}`],

  ['minItems', asked => `must have at least ${counted(asked, 'item')}`],
  ['maxItems', asked => `must have at most ${counted(asked, 'item')}`],
  ['uniqueItems', () => 'must have no item twice'],
  ['contains', (asked, holder) => `must have ${howMany(holder)} like ${shown(asked)}`],

  ['required', () => 'is required'],
  ['dependentRequired', asked => `is required beside ${cut([asked].flat().join(', '))}`],
  ['additionalProperties', (_asked, holder) => `is not admitted: ${admitted(holder)}`],
  ['unevaluatedProperties', (_asked, holder) => `is not admitted: ${admitted(holder)}`],
  ['propertyNames', asked => `is not admitted: names must be like ${shown(asked)}`],
  ['minProperties', asked => `must have at least ${counted(asked, 'member')}`],
  ['maxProperties', asked => `must have at most ${counted(asked, 'member')}`],

  ['anyOf', asked => `must be like one of ${listed(asked)}`],
  ['oneOf', asked => `must be like exactly one of ${listed(asked)}`],
  ['not', asked => `must not be like ${shown(asked)}`],
  ['false schema', () => 'must be left out'],

  ['steps', asked => `take more than ${asked} steps to judge: send less`],
])

/** Returns the message for a keyword: `pattern` → "must match ^cus_[0-9]+$ (pattern)". */
export function expectationOf(keyword: string, asked: JsonValue, holder: JsonObject = {}): string {
  const expectation = expectations.get(keyword)
  return `${expectation?.(asked, holder) ?? 'does not meet the schema'} (${keyword})`
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

function typeName(type: JsonValue): string {
  return typeNames[String(type)] ?? String(type)
}

function counted(count: JsonValue, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

function howMany({ minContains = 1, maxContains }: JsonObject): string {
  const least = `at least ${counted(minContains, 'item')}`
  return maxContains === undefined ? least : `${least} and at most ${maxContains}`
}

function admitted({ properties, patternProperties }: JsonObject): string {
  const names = isPlainObject(properties) ? Object.keys(properties) : []
  const patterns = isPlainObject(patternProperties) ? Object.keys(patternProperties) : []
  const parts = [
    ...(names.length > 0 ? [cut(names.join(', '))] : []),
    ...(patterns.length > 0 ? [`names that match ${cut(patterns.join(' or '))}`] : []),
  ]
  return parts.length === 0 ? 'nothing may stand here' : `there may be ${parts.join(', and ')}`
}

function listed(values: JsonValue): string {
  return cut(
    [values]
      .flat()
      .map(value => JSON.stringify(value))
      .join(', '),
  )
}

function shown(value: JsonValue): string {
  return cut(JSON.stringify(value))
}

/**
 * The most characters that a message quotes, so that a verdict of 20 faults stays small. Patterns are rarely
 * longer.
 */
const lengthMax = 240

function cut(text: string): string {
  return shorten(text, lengthMax)
}
