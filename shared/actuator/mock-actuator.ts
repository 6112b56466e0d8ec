import { setTimeout as delay } from 'node:timers/promises'
import type { MockSettings, Outcome } from '../contract/configuration/actuator.ts'
import type { Actuator, Invocation } from './actuator.ts'

/** A mock by name: it changes nothing outside and says so with `dry_run` (specification.md#actuators). */
export function mockActuator(name: string, settings: MockSettings): Actuator {
  return {
    name,
    idempotency: settings.idempotency ?? 'key_honoured',
    async invoke(invocation) {
      if (settings.delay_ms) await delay(settings.delay_ms, undefined, { signal: invocation.signal })
      return play(settings.outcome ?? 'ok', invocation)
    },
  }
}

function play(outcome: NonNullable<MockSettings['outcome']>, invocation: Invocation): Outcome {
  if (outcome === 'throw') throw new Error('the mock actuator was told to throw')
  if (outcome !== 'ok') {
    return {
      class: outcome,
      code: `mock_${outcome}`,
      message: `the mock actuator was told to answer ${outcome}`,
    }
  }
  const { operation: executed, target_system: target } = invocation
  return { class: 'ok', detail: { executed, target, dry_run: true } }
}
