import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { memberPlace } from './faults.ts'
import type { Judgement, Rule } from './keywords.ts'

/** Keywords for objects. Only own members count, never inherited members. */
export const objectRules: readonly [string, Rule][] = [
  ['properties', properties()],
  ['patternProperties', patternProperties()],
  ['additionalProperties', noOther('additionalProperties', isNamed)],
  ['unevaluatedProperties', noOther('unevaluatedProperties', isComposed, composed)],
  ['propertyNames', noOther('propertyNames', (name, { asked }, judgement) => judgement.meets(asked, name))],
  ['required', required()],
  ['dependentRequired', dependentRequired()],
  ['dependentSchemas', dependentSchemas()],
  ['minProperties', bySize((size, min) => size >= min)],
  ['maxProperties', bySize((size, max) => size <= max)],
]

const stepsPerName = 10

function properties(): Rule {
  return {
    meets(asked, value, _holder, judgement) {
      const schemas = asked as JsonObject
      if (!isPlainObject(value)) return true
      for (const name in schemas) {
        judgement.spend(stepsPerName)
        if (!Object.hasOwn(value, name)) continue
        if (!judgement.meets(schemas[name] as JsonValue, value[name] as JsonValue)) return false
      }
      return true
    },
    blame({ asked, value, place }, judgement) {
      const object = value as JsonObject
      for (const [name, schema] of Object.entries(asked as JsonObject)) {
        if (!Object.hasOwn(object, name)) continue
        judgement.blame(schema, object[name] as JsonValue, memberPlace(place, name))
      }
    },
  }
}

function patternProperties(): Rule {
  const concerned = (asked: JsonValue, object: JsonObject, judgement: Judgement) =>
    Object.entries(asked as JsonObject).flatMap(([pattern, schema]) =>
      entriesOf(object, judgement)
        .filter(([name]) => judgement.matches(pattern, name))
        .map(([name, member]) => ({ schema, name, member })),
    )
  return {
    meets(asked, value, _holder, judgement) {
      if (!isPlainObject(value)) return true
      return concerned(asked, value, judgement).every(({ schema, member }) => judgement.meets(schema, member))
    },
    blame({ asked, value, place }, judgement) {
      for (const { schema, name, member } of concerned(asked, value as JsonObject, judgement)) {
        judgement.blame(schema, member, memberPlace(place, name))
      }
    },
  }
}

interface Standing {
  asked: JsonValue
  holder: JsonObject
}

function noOther(
  keyword: string,
  admits: (name: string, at: Standing, judgement: Judgement) => boolean,
  named: (holder: JsonObject, judgement: Judgement) => JsonObject = holder => holder,
): Rule {
  return {
    meets(asked, value, holder, judgement) {
      if (!isPlainObject(value)) return true
      const standing = { asked, holder }
      for (const name in value) {
        judgement.spend(stepsPerName)
        if (Object.hasOwn(value, name) && !admits(name, standing, judgement)) return false
      }
      return true
    },
    blame({ value, place, ...standing }, judgement) {
      const others = Object.keys(value as JsonObject).filter(name => !admits(name, standing, judgement))
      if (others.length === 0) return
      const holder = named(standing.holder, judgement)
      for (const name of others) judgement.fault(memberPlace(place, name), keyword, standing.asked, holder)
    },
  }
}

function isNamed(name: string, { holder }: Standing, judgement: Judgement): boolean {
  const { properties: named, patternProperties: patterned } = holder
  if (isPlainObject(named) && Object.hasOwn(named, name)) return true
  return isPlainObject(patterned) && Object.keys(patterned).some(pattern => judgement.matches(pattern, name))
}

function isComposed(name: string, { asked, holder }: Standing, judgement: Judgement): boolean {
  judgement.spend(1)
  const parts = Array.isArray(holder.allOf) ? holder.allOf : []
  const referred = holder.$ref === undefined ? true : judgement.definition(holder.$ref)
  return (
    isNamed(name, { asked, holder }, judgement) ||
    [...parts, referred].some(
      part => isPlainObject(part) && isComposed(name, { asked, holder: part }, judgement),
    )
  )
}

/** Merges the names that `isComposed` admits, so that a message can list them. */
function composed(holder: JsonObject, judgement: Judgement): JsonObject {
  judgement.spend(1)
  const parts = Array.isArray(holder.allOf) ? holder.allOf : []
  const referred = holder.$ref === undefined ? true : judgement.definition(holder.$ref)
  const all = [holder, ...[...parts, referred].filter(isPlainObject).map(part => composed(part, judgement))]
  const merged = (keyword: string) => Object.assign({}, ...all.map(part => part[keyword])) as JsonObject
  return { properties: merged('properties'), patternProperties: merged('patternProperties') }
}

function required(): Rule {
  return {
    meets(names, value, _holder, judgement) {
      if (!isPlainObject(value)) return true
      judgement.spend((names as string[]).length * stepsPerName)
      for (const name of names as string[]) if (!Object.hasOwn(value, name)) return false
      return true
    },
    blame({ asked, value, place }, judgement) {
      const missing = (asked as string[]).filter(name => !Object.hasOwn(value as JsonObject, name))
      for (const name of missing) judgement.fault(memberPlace(place, name), 'required')
    },
  }
}

function dependentRequired(): Rule {
  const missing = (lists: JsonValue, object: JsonObject, judgement: Judgement): string[] =>
    dependent(lists, object, judgement).flatMap(names => {
      judgement.spend((names as string[]).length * stepsPerName)
      return (names as string[]).filter(name => !Object.hasOwn(object, name))
    })
  return {
    meets: (lists, value, _holder, judgement) =>
      !isPlainObject(value) || missing(lists, value, judgement).length === 0,
    blame({ asked, value, place }, judgement) {
      const names = missing(asked, value as JsonObject, judgement)
      for (const name of names)
        judgement.fault(
          memberPlace(place, name),
          'dependentRequired',
          naming(asked, value as JsonObject, name),
        )
    },
  }
}

function naming(lists: JsonValue, object: JsonObject, missing: string): string[] {
  return Object.entries(lists as Record<string, string[]>)
    .filter(([name, names]) => Object.hasOwn(object, name) && names.includes(missing))
    .map(([name]) => name)
}

function dependentSchemas(): Rule {
  return {
    meets(schemas, value, _holder, judgement) {
      if (!isPlainObject(value)) return true
      return dependent(schemas, value, judgement).every(schema => judgement.meets(schema, value))
    },
    blame({ asked, value, place }, judgement) {
      const schemas = dependent(asked, value as JsonObject, judgement)
      for (const schema of schemas) judgement.blame(schema, value, place)
    },
  }
}

function dependent(byName: JsonValue, object: JsonObject, judgement: Judgement): JsonValue[] {
  return entriesOf(byName as JsonObject, judgement)
    .filter(([name]) => Object.hasOwn(object, name))
    .map(([, said]) => said)
}

function bySize(holds: (size: number, bound: number) => boolean): Rule {
  return {
    meets(bound, value, _holder, judgement) {
      if (!isPlainObject(value)) return true
      const size = Object.keys(value).length
      judgement.spend(size * stepsPerName)
      return holds(size, Number(bound))
    },
  }
}

function entriesOf(object: JsonObject, judgement: Judgement): [string, JsonValue][] {
  const entries = Object.entries(object)
  judgement.spend(entries.length * stepsPerName)
  return entries
}
