import { isPlainObject, type JsonObject, memberOf } from '../contract/base/json.ts'
import type { Idempotency } from '../contract/configuration/actuator-schema.ts'

interface Registered {
  kind: string
  settings: unknown
}

/**
 * Marks an HTTP operation as not idempotent unless its reviewer confirmed it
 * (actuators.md#what-an-answer-means). A GET that changes something is always marked, so that it does not
 * count as a read. `reviewed` is the catalog's idempotency of an operation that changes something.
 */
export function asReviewed(
  { kind, settings }: Registered,
  operation: string,
  reviewed: Idempotency | undefined,
): unknown {
  if (reviewed === undefined || kind !== 'http' || !isPlainObject(settings)) return settings
  const { operations } = settings
  const own = isPlainObject(operations) ? memberOf(operations, operation) : undefined
  if (!isPlainObject(own) || (reviewed === 'key_honoured' && own.method !== 'GET')) return settings
  return {
    ...settings,
    operations: { ...(operations as JsonObject), [operation]: { ...own, idempotency: 'none' } },
  }
}
