import type { ErrorObject } from 'ajv/dist/2020.js'
import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/json.ts'
import { limits } from '../../contract/limits.ts'
import { shorten } from '../shorten.ts'

/** One place in the parameters that does not meet the schema. */
export interface Violation {
  /** Path within the parameters, `items[3].price`; empty for the parameters as a whole. */
  place: string
  keyword: string
  /** What the schema asks for, as far as the keyword says it in a word. Nothing of the parameters' values. */
  detail: string
}

/** Each place and keyword once; beyond the limit, the rest is counted. */
export function violationsOf(faults: readonly ErrorObject[], parameters: JsonObject): Violation[] {
  const distinct = new Map<string, Violation>()
  for (const fault of faults) {
    const violation = violationOf(fault, parameters)
    distinct.set(`${violation.keyword} ${violation.place}`, violation)
  }
  const all = [...distinct.values()]
  const shown = all.slice(0, limits.schema_violations_max)
  const rest = all.length - shown.length
  return rest === 0 ? shown : [...shown, { place: '', keyword: 'others', detail: ` (${rest} more)` }]
}

function violationOf({ instancePath, keyword, params }: ErrorObject, parameters: JsonObject): Violation {
  const named: unknown = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  const steps = stepsOf(instancePath, parameters)
  return {
    place: placeText(typeof named === 'string' ? [...steps, named] : steps),
    keyword,
    detail: detailOf(params.limit ?? params.type),
  }
}

function detailOf(asked: unknown): string {
  return typeof asked === 'number' || typeof asked === 'string' || Array.isArray(asked) ? ` ${asked}` : ''
}

/** A JSON pointer does not say whether `0` is an index or a name: the value does. */
function stepsOf(pointer: string, parameters: JsonObject): (string | number)[] {
  let value: JsonValue | undefined = parameters
  return pointer
    .split('/')
    .slice(1)
    .map(step => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (Array.isArray(value)) {
        value = value[Number(name)]
        return Number(name)
      }
      value = isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
      return name
    })
}

function placeText(steps: readonly (string | number)[]): string {
  return steps.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? shorten(step) : `${text}.${shorten(step)}`
  }, '')
}
