import type { JsonValue } from '../contract/base/json.ts'
import type { Idempotency } from '../contract/configuration/actuator-schema.ts'
import type { Actuator } from './actuator.ts'

/**
 * A type that requires every member of an actuator, so that the compiler reports a member that is forgotten
 * here.
 */
type Members = { [Member in keyof Required<Actuator>]: Actuator[Member] | undefined }

/**
 * Reads and checks the members of a module once. Throws if one is wrong, so that only the action that uses it
 * ends.
 */
export function soundActuator(given: Actuator): Actuator {
  const {
    name,
    idempotency,
    idempotencyOf,
    key_retention_ms,
    absence_proves_after_ms,
    timeout_ms,
    requestOf,
    lookup,
    poll,
    calledBack,
  } = given
  const isSaid = (said: unknown): said is Idempotency => said === 'key_honoured' || said === 'none'
  if (!isSaid(idempotency)) throw new TypeError('its idempotency must be key_honoured or none')
  const members: Members = {
    name,
    idempotency,
    idempotencyOf:
      idempotencyOf &&
      (operation => {
        const said: unknown = idempotencyOf.call(given, operation)
        return isSaid(said) ? said : 'none'
      }),
    changesNothing: undefined,
    key_retention_ms: milliseconds('key_retention_ms', key_retention_ms),
    absence_proves_after_ms: milliseconds('absence_proves_after_ms', absence_proves_after_ms),
    timeout_ms: milliseconds('timeout_ms', timeout_ms),
    requestOf: requestOf && (operation => answered(requestOf.call(given, operation))),
    invoke: invocation => given.invoke(invocation),
    poll: poll && ((dispatched, invocation) => poll.call(given, dispatched, invocation)),
    calledBack: calledBack && (called => calledBack.call(given, called)),
    lookup: lookup && (attempt => lookup.call(given, attempt)),
  }
  return members as Actuator
}

function milliseconds(member: string, value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value
  throw new TypeError(`its ${member} must be a number of milliseconds`)
}

/** Throws if the answer is a promise, because a promise is not JSON. A rejection of the promise is ignored. */
function answered(request: JsonValue): JsonValue {
  const { then } = Object(request) as { then?: unknown }
  if (typeof then !== 'function') return request
  Promise.resolve(request).catch(() => undefined)
  throw new TypeError('its requestOf must answer at once, without a promise')
}
