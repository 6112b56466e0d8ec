import { canonicalJson } from '../canon/canonical-json.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import type { RegisteredActuator } from '../contract/configuration/actuator-schema.ts'

/**
 * A way to narrow a setting. `fewer` may remove entries, but neither add nor change any. `at_most` may lower
 * a number; a missing number counts as the preset.
 */
type Narrowing = { by: 'fewer' } | { by: 'at_most'; preset: number }

const bounds: Record<string, Narrowing> = {
  timeout_ms: { by: 'at_most', preset: limits.actuator_timeout_ms_preset },
  max_response_bytes: { by: 'at_most', preset: 65_536 },
  key_retention_ms: { by: 'at_most', preset: 86_400_000 },
}

/**
 * The settings that a caller with the right to narrow may change, by kind of actuator. None of these decides
 * the request, its destination or its credentials.
 */
const narrowings: Record<RegisteredActuator['kind'], Record<string, Narrowing>> = {
  http: { operations: { by: 'fewer' }, ...bounds },
  mcp: { tools: { by: 'fewer' }, ...bounds },
  module: {},
  mock: {},
}

export function wideningsOf(registered: RegisteredActuator, given: RegisteredActuator): string[] {
  if (registered.kind !== given.kind) return ['kind']
  const before = registered.settings as JsonObject
  const after = given.settings as JsonObject
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap(name =>
    wideningsIn(narrowings[registered.kind][name], before[name], after[name]).map(
      inner => `settings.${name}${inner}`,
    ),
  )
}

function wideningsIn(
  narrowing: Narrowing | undefined,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): string[] {
  if (same(before, after)) return []
  if (narrowing?.by === 'at_most')
    return Number(after ?? narrowing.preset) <= Number(before ?? narrowing.preset) ? [] : ['']
  if (narrowing?.by !== 'fewer' || !isPlainObject(before) || !isPlainObject(after)) return ['']
  return Object.entries(after).flatMap(([name, entry]) =>
    Object.hasOwn(before, name) && same(before[name], entry) ? [] : [`.${name}`],
  )
}

function same(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return canonicalJson(one) === canonicalJson(other)
}
