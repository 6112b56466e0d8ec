import { isPlainObject, type JsonObject, type JsonValue } from '../../shared/contract/base/json.ts'
import type { Constraint } from '../../shared/contract/configuration/policy.ts'
import type { OutcomeQuery, Where } from '../../shared/contract/configuration/verification-schema.ts'
import type { Subject } from '../../shared/policy-analysis/operations.ts'
import { everyValue } from './every-value.ts'
import { fitting } from './fitting.ts'
import type { Chance } from './random.ts'
import { operations, systems } from './random-case.ts'
import { numberOf } from './random-values.ts'

/** An action as far as trying has to find it. */
export interface Attempt {
  system: string
  operation: string
  parameters: JsonObject
}

/** An action that goes a long way towards what documents and query ask: trying at random hardly ever meets all of it. */
export function guided(
  { policy, catalog }: Subject,
  query: OutcomeQuery | null,
  { pool, chance }: { pool: readonly JsonValue[]; chance: Chance },
): Attempt {
  const system = query?.system ?? chance.one(systems)
  const operation = query?.operation ?? chance.one(operations)
  const schema = catalog?.operations.find(entry => entry.system === system && entry.operation === operation)
  const parameters = fittingParameters(schema?.parameter_schema, { pool, chance })
  const constraints = policy.parameter_constraints[system]?.[operation] ?? {}
  for (const [path, constraint] of Object.entries(constraints)) {
    if (chance.maybe(0.7)) place(parameters, path, satisfying(constraint, chance))
  }
  for (const [path, where] of Object.entries(query?.where ?? {})) {
    if (chance.maybe(0.6)) place(parameters, path, satisfying(where, chance))
  }
  return { system, operation, parameters }
}

/** Each value of a parameter that has few is tried now and then. */
function fittingParameters(
  schema: JsonObject | undefined,
  { pool, chance }: { pool: readonly JsonValue[]; chance: Chance },
): JsonObject {
  const whole = schema ? fitting(schema, pool, chance) : {}
  const parameters: JsonObject = isPlainObject(whole) ? { ...whole } : {}
  const properties = schema?.properties
  for (const [name, member] of Object.entries(isPlainObject(properties) ? properties : {})) {
    const all = everyValue(member) ?? []
    if (all.length > 0 && chance.maybe(0.6)) parameters[name] = chance.one(all)
  }
  return parameters
}

/** A value that meets a constraint or what a query asks, undefined for none in particular. */
function satisfying(asked: Constraint | Where, chance: Chance): JsonValue | undefined {
  if (asked.equals !== undefined) return asked.equals
  if (asked.one_of !== undefined) return chance.one(asked.one_of)
  if (asked.min === undefined && asked.max === undefined) return undefined
  const ends = [asked.min, asked.max].filter(end => end !== undefined)
  const at = chance.one(ends) + chance.one([0, 0, 0.5, -0.5, 1, -1])
  return chance.maybe(0.7) ? at : numberOf(chance)
}

function place(root: JsonObject, path: string, value: JsonValue | undefined): void {
  if (value === undefined) return
  const [name = '', ...rest] = path.split('.')
  if (rest.length === 0) {
    root[name] = value
    return
  }
  const inner = root[name]
  const holder: JsonObject = isPlainObject(inner) ? { ...inner } : {}
  root[name] = holder
  place(holder, rest.join('.'), value)
}
