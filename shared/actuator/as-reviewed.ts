import { isPlainObject, type JsonObject, memberOf } from '../contract/base/json.ts'
import type { Idempotency } from '../contract/configuration/actuator-schema.ts'

interface Registered {
  kind: string
  settings: unknown
}

/**
 * The settings of a registration as far as the reviewer of an operation agrees (actuators.md#what-an-answer-means): where
 * it changes something, a method that is safe makes no read of it. `reviewed` is what the catalog says of the key of such an
 * operation.
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
