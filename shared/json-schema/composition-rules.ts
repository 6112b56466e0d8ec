import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import type { Judgement, Rule } from './keywords.ts'
import { hasType } from './scalar-rules.ts'

export const compositionRules: readonly [string, Rule][] = [
  ['$ref', applied((reference, _value, _holder, judgement) => judgement.definition(reference))],
  [
    'allOf',
    {
      meets: (schemas, value, _holder, judgement) =>
        listOf(schemas).every(schema => judgement.meets(schema, value)),
      blame({ asked, value, place }, judgement) {
        for (const schema of listOf(asked)) judgement.blame(schema, value, place)
      },
    },
  ],
  [
    'anyOf',
    alternatives('anyOf', (schemas, value, judgement) =>
      schemas.some(schema => judgement.meets(schema, value)),
    ),
  ],
  [
    'oneOf',
    alternatives(
      'oneOf',
      (schemas, value, judgement) => schemas.filter(schema => judgement.meets(schema, value)).length === 1,
    ),
  ],
  ['not', { meets: (schema, value, _holder, judgement) => !judgement.meets(schema, value) }],
  [
    'if',
    applied((condition, value, holder, judgement) => {
      const { then: met = true, else: unmet = true } = holder
      return judgement.meets(condition, value) ? met : unmet
    }),
  ],
]

function applied(
  schemaFor: (asked: JsonValue, value: JsonValue, holder: JsonObject, judgement: Judgement) => JsonValue,
): Rule {
  return {
    meets: (asked, value, holder, judgement) =>
      judgement.meets(schemaFor(asked, value, holder, judgement), value),
    blame: ({ asked, value, holder, place }, judgement) =>
      judgement.blame(schemaFor(asked, value, holder, judgement), value, place),
  }
}

/**
 * Reports the faults of an alternative if only that one admits the value's type, because the sender probably
 * meant it.
 */
function alternatives(
  keyword: string,
  holds: (schemas: JsonValue[], value: JsonValue, judgement: Judgement) => boolean,
): Rule {
  return {
    meets: (schemas, value, _holder, judgement) => holds(listOf(schemas), value, judgement),
    blame({ asked, value, place }, judgement) {
      const [meant, another] = listOf(asked).filter(schema => admitsType(schema, value))
      if (meant === undefined || another !== undefined) judgement.fault(place, keyword, asked)
      else judgement.blame(meant, value, place)
    },
  }
}

function admitsType(schema: JsonValue, value: JsonValue): boolean {
  if (!isPlainObject(schema)) return schema === true
  return schema.type === undefined || hasType(value, schema.type)
}

function listOf(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : []
}
