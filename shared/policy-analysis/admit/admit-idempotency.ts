import { kindOf } from '../../contract/actuator-kind/kinds.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Hole } from '../../contract/configuration/admission.ts'
import type { AllowedOperation } from './admit-entries.ts'
import { hole } from './admit-hole.ts'

/** Returns the admission holes in an actuator's protection against repeated execution: IDM-1 to IDM-3. */
export function idempotencyHoles(
  actuator: RegisteredActuator,
  executed: readonly AllowedOperation[],
  retryHorizonMs: number,
): Hole[] {
  const { name } = actuator
  const kind = kindOf(actuator)
  const settings = ['actuators', name, 'settings']
  const honoured = kind.honoursKey(actuator.settings)
  return [
    ...executed
      .filter(hasEffect)
      .flatMap(one =>
        unprotected(one, kind.operationHonoursKey(actuator.settings, one.operation) ?? honoured),
      ),
    ...(honoured === false || repeatedForMs(kind.keyRetentionMs(actuator.settings)) >= retryHorizonMs
      ? []
      : [tooShort(name, [...settings, 'key_retention_ms'], retryHorizonMs)]),
    ...(kind.mayLookUp(actuator.settings) ? [] : [withoutLookup(name, honoured === true, settings)]),
  ]
}

/** Returns true also for an unreviewed operation, because it may have any effect. */
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

/**
 * Returns the ms for which a key allows retries: 80 % of its retention
 * (specification.md#what-an-actuator-declares).
 */
function repeatedForMs(retentionMs: number | undefined): number {
  return repeatedFor * (retentionMs ?? retentionPresetMs)
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
