import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPlainObject, type JsonObject, type JsonValue } from '../../../shared/contract/base/json.ts'
import { readSchema } from '../../../shared/gate/closed-schema.ts'
import { judgeParameters } from '../../../shared/json-schema/judge-parameters.ts'
import { naiveMeets } from './naive-schema.ts'
import { fittingArbitrary, parametersArbitrary, schemaArbitrary } from './schema-arbitrary.ts'

const closedSchema = schemaArbitrary.filter(schema => readSchema(schema).errors.length === 0)

/** A schema that is accepted, and parameters of which many meet it. */
const judged = closedSchema.chain(schema =>
  fc.record({
    schema: fc.constant(schema),
    all: fc.array(fc.oneof(parametersArbitrary, { arbitrary: fittingArbitrary(schema), weight: 4 }), {
      minLength: 8,
      maxLength: 8,
    }),
  }),
)

describe('an accepted schema', () => {
  it('judges as the specification of JSON Schema does', () => {
    const seen = { met: 0, unmet: 0 }
    fc.assert(
      fc.property(judged, ({ schema, all }) => {
        for (const parameters of all) {
          const met = judgeParameters(schema, parameters) === null
          expect(met, JSON.stringify(parameters)).toBe(naiveMeets(schema, parameters))
          seen[met ? 'met' : 'unmet'] += 1
        }
      }),
      { numRuns: 300 },
    )
    expect(Math.min(seen.met, seen.unmet)).toBeGreaterThan(150)
  })

  it('lets nothing through that it does not name', () => {
    let added = 0
    fc.assert(
      fc.property(judged, ({ schema, all }) => {
        const met = all.filter(parameters => judgeParameters(schema, parameters) === null)
        for (const changed of met.flatMap(withUnknownMember)) {
          expect(judgeParameters(schema, changed as JsonObject), JSON.stringify(changed)).not.toBeNull()
          added += 1
        }
      }),
      { numRuns: 300 },
    )
    expect(added).toBeGreaterThan(150)
  })

  it('names at least one place that the parameters have or lack', () => {
    fc.assert(
      fc.property(closedSchema, parametersArbitrary, (schema, parameters) => {
        const violations = judgeParameters(schema, parameters)
        if (violations !== null) expect(violations.length).toBeGreaterThan(0)
        for (const { keyword } of violations ?? []) expect(keyword).not.toBe('')
      }),
      { numRuns: 200 },
    )
  })
})

/** The value with a member that no schema of the small world names, at each of its objects in turn. */
function withUnknownMember(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => withUnknownMember(item).map(changed => value.with(index, changed)))
  }
  if (!isPlainObject(value)) return []
  const below = Object.entries(value).flatMap(([name, member]) =>
    withUnknownMember(member).map(changed => ({ ...value, [name]: changed })),
  )
  return [{ ...value, unheard_of: true }, ...below]
}
