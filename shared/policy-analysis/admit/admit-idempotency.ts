import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Hole } from '../../contract/configuration/admission.ts'
import type { AllowedOperation } from './admit-entries.ts'
import { hole } from './admit-hole.ts'

/** Returns holes in an actuator's protection against repeated execution: IDM-1 to IDM-3. */
export function idempotencyHoles(
  actuator: RegisteredActuator,
  executed: readonly AllowedOperation[],
  retryHorizonMs: number,
): Hole[] {
  const { name, kind } = actuator
  const settings = ['actuators', name, 'settings']
  const honoured = honoursKey(actuator)
  return [
    ...executed
      .filter(hasEffect)
      .flatMap(one => unprotected(one, ownKey(actuator, one.operation) ?? honoured)),
    ...(honoured === false || repeatedForMs(actuator) >= retryHorizonMs
      ? []
      : [tooShort(name, [...settings, 'key_retention_ms'], retryHorizonMs)]),
    // A mock has no outcome to look up, and only the worker knows a module's look-up.
    ...(kind === 'mock' || kind === 'module' || (kind === 'http' && actuator.settings.lookup)
      ? []
      : [withoutLookup(name, honoured === true, settings)]),
  ]
}

function honoursKey(actuator: RegisteredActuator): boolean | null {
  if (actuator.kind === 'module') return null
  const preset = actuator.kind === 'mock' ? 'key_honoured' : 'none'
  return (actuator.settings.idempotency ?? preset) === 'key_honoured'
}

function ownKey(actuator: RegisteredActuator, operation: string): boolean | null {
  if (actuator.kind !== 'http' || !Object.hasOwn(actuator.settings.operations, operation)) return null
  const { idempotency } = actuator.settings.operations[operation] ?? {}
  return idempotency === undefined ? null : idempotency === 'key_honoured'
}

/** Returns true for an unreviewed operation, because it may have any effect. */
function hasEffect({ entry }: AllowedOperation): boolean {
  const effects = entry?.entry.effects ?? []
  return effects.length === 0 || effects.some(effect => effect !== 'none')
}

function unprotected({ system, operation, entry, path }: AllowedOperation, honoured: boolean | null): Hole[] {
  const reviewed = entry?.entry.idempotency
  if (reviewed === 'none') {
    const message = 'the catalog says that the key is not honoured, and the operation has an effect'
    const at = [...(entry?.path ?? path), 'idempotency']
    return [hole('IDM-1', message, { system, operation, path: at })]
  }
  if (honoured === true || (honoured === null && reviewed === 'key_honoured')) return []
  const message = 'the actuator honours no idempotency key, and the operation has an effect'
  return [
    hole('IDM-1', message, { system, operation, path: ['actuators', system, 'settings', 'idempotency'] }),
  ]
}

const retentionPresetMs = 24 * 3_600_000
const repeatedFor = 0.8

/** Returns the ms of a key's retries: 80 % of its retention (specification.md#what-an-actuator-declares). */
function repeatedForMs(actuator: RegisteredActuator): number {
  if (actuator.kind === 'mock') return Number.POSITIVE_INFINITY
  const retention = actuator.kind === 'module' ? undefined : actuator.settings.key_retention_ms
  return repeatedFor * (retention ?? retentionPresetMs)
}

function tooShort(system: string, path: readonly string[], retryHorizonMs: number): Hole {
  const hours = (retryHorizonMs / 3_600_000).toFixed(1)
  const message = `an execution may be repeated for ${hours} hours, longer than the downstream surely remembers its key`
  return hole('IDM-2', message, { system, path })
}

function withoutLookup(system: string, honoured: boolean, path: readonly string[]): Hole {
  const when = honoured ? 'once its key may be forgotten, ' : ''
  const message = `${when}an outcome that is not known can only be settled by hand: there is no look-up`
  return hole('IDM-3', message, { system, path: [...path, 'lookup'] })
}
