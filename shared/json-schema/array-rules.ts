import { canonicalJson } from '../canon/canonical-json.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import { itemPlace } from './faults.ts'
import type { Judgement, Rule } from './keywords.ts'

export const arrayRules: readonly [string, Rule][] = [
  ['items', ofItems((schema, index, holder) => (index < listOf(holder.prefixItems).length ? true : schema))],
  ['prefixItems', ofItems((schemas, index) => listOf(schemas)[index] ?? true)],
  ['contains', ofArrays(contains)],
  ['minItems', ofArrays((min, items) => items.length >= Number(min))],
  ['maxItems', ofArrays((max, items) => items.length <= Number(max))],
  [
    'uniqueItems',
    ofArrays((unique, items, _holder, judgement) => unique === false || areDistinct(items, judgement)),
  ],
]

function ofItems(schemaFor: (asked: JsonValue, index: number, holder: JsonObject) => JsonValue): Rule {
  return {
    meets(asked, value, holder, judgement) {
      if (!Array.isArray(value)) return true
      return value.every((item, index) => judgement.meets(schemaFor(asked, index, holder), item))
    },
    blame({ asked, value, holder, place }, judgement) {
      for (const [index, item] of listOf(value).entries()) {
        judgement.blame(schemaFor(asked, index, holder), item, itemPlace(place, index))
      }
    },
  }
}

type OfArray = (asked: JsonValue, items: JsonValue[], holder: JsonObject, judgement: Judgement) => boolean

function ofArrays(holds: OfArray): Rule {
  return {
    meets: (asked, value, holder, judgement) =>
      !Array.isArray(value) || holds(asked, value, holder, judgement),
  }
}

function contains(schema: JsonValue, items: JsonValue[], holder: JsonObject, judgement: Judgement): boolean {
  const { minContains = 1, maxContains = items.length } = holder
  const count = items.filter(item => judgement.meets(schema, item)).length
  return count >= Number(minContains) && count <= Number(maxContains)
}

/** Steps to compare an item. Items are compared by canonical text, so the steps include writing that text. */
const stepsPerItem = 30
const stepsPerCharacter = 2

function areDistinct(items: readonly JsonValue[], judgement: Judgement): boolean {
  const texts = new Set<string>()
  for (const item of items) {
    const text = canonicalJson(item)
    judgement.spend(stepsPerItem + text.length * stepsPerCharacter)
    texts.add(text)
  }
  return texts.size === items.length
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : []
}
