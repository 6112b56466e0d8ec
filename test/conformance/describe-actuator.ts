import { afterEach, describe, expect, it } from 'vitest'
import type { Actuator, Invocation } from '../../shared/actuator/actuator.ts'
import { invoke, lookUp } from '../../shared/actuator/invoke.ts'
import type { JsonObject } from '../../shared/contract/base/json.ts'
import { invocationOf } from '../support/fixtures/actuator-surroundings.ts'

/** What a downstream can be made to do with the next calls. */
export type Fault = 'refuse' | 'cut_after_effect' | 'hang' | 'unreachable'

/** An actuator with a downstream of its own, whose effects can be counted. */
export interface Bench {
  actuator: Actuator
  /** One entry for each effect that happened downstream, by whatever means that is known there. */
  effects(): number | Promise<number>
  behave(fault: Fault): void | Promise<void>
  close(): Promise<void>
}

export interface Subject {
  /** A new bench without any effect yet. */
  open(): Promise<Bench>
  operation: string
  /** Two sets of parameters that the operation can be called with. */
  parameters: readonly [JsonObject, JsonObject]
  tool_schema_hash?: string
  /** Faults that the downstream can be made to show. */
  faults: readonly Fault[]
}

const abortMs = 300

/**
 * What every actuator owes the service (specification.md#actuators, specification.md#outcome-classes), as tests: call it in a test file of
 * your own with a bench of your actuator. Of outcomes it demands that they tell no more than the downstream knows.
 */
export function describeActuator(name: string, subject: Subject): void {
  describe(`actuator ${name}`, () => {
    let bench: Bench | undefined
    afterEach(async () => {
      await bench?.close()
      bench = undefined
    })
    const open = async (): Promise<Bench> => {
      bench = await subject.open()
      return bench
    }
    const call = (given: Partial<Invocation> = {}): Invocation =>
      invocationOf({
        target_system: name,
        operation: subject.operation,
        parameters: subject.parameters[0],
        tool_schema_hash: subject.tool_schema_hash ?? null,
        ...given,
      })
    const can = (fault: Fault): boolean => subject.faults.includes(fault)

    it('does what it is asked and says so', async () => {
      const { actuator, effects } = await open()
      expect(await invoke(actuator, call())).toMatchObject({ class: 'ok' })
      expect(await effects()).toBe(1)
    })

    it('takes other keys for other requests', async () => {
      const { actuator, effects } = await open()
      await invoke(actuator, call({ idempotency_key: 'key-a' }))
      await invoke(actuator, call({ idempotency_key: 'key-b' }))
      expect(await effects()).toBe(2)
    })

    it('honours the key as it declares', async () => {
      const { actuator, effects } = await open()
      if (actuator.idempotency === 'none') return expect(actuator.lookup ?? null).toSatisfy(isFunctionOrNull)
      const both = await Promise.all([invoke(actuator, call()), invoke(actuator, call())])
      expect(both).toContainEqual(expect.objectContaining({ class: 'ok' }))
      expect(await invoke(actuator, call({ attempt: 2 }))).toMatchObject({ class: 'ok' })
      expect(await effects()).toBe(1)
      const other = await invoke(actuator, call({ parameters: subject.parameters[1] }))
      expect(other.class).not.toBe('ok')
      expect(await effects()).toBe(1)
    })

    it('finds what it has done, and nothing else', async () => {
      const { actuator } = await open()
      if (!actuator.lookup) return expect(await lookUp(actuator, call())).toMatchObject({ found: 'unclear' })
      expect(await lookUp(actuator, call())).toMatchObject({ found: 'absent' })
      await invoke(actuator, call())
      expect(await lookUp(actuator, call())).toMatchObject({ found: 'executed' })
      expect(await lookUp(actuator, call({ idempotency_key: 'key-other' }))).toMatchObject({
        found: 'absent',
      })
    })

    it('does nothing after the abort', async () => {
      const { actuator, effects } = await open()
      const signal = AbortSignal.abort(new Error('the lease was lost'))
      const outcome = await actuator.invoke(call({ signal })).catch(() => ({ class: 'unknown' }))
      expect(outcome.class).not.toBe('ok')
      expect(await effects()).toBe(0)
    })

    it.runIf(can('refuse'))('calls a refusal what it is', async () => {
      const { actuator, effects, behave } = await open()
      await behave('refuse')
      expect(await invoke(actuator, call())).toMatchObject({ class: 'failed' })
      expect(await effects()).toBe(0)
    })

    it.runIf(can('cut_after_effect'))(
      'does not call an effect a failure because its answer was lost',
      async () => {
        const { actuator, effects, behave } = await open()
        await behave('cut_after_effect')
        expect(await invoke(actuator, call())).toMatchObject({ class: 'unknown' })
        expect(await effects()).toBe(1)
      },
    )

    it.runIf(can('unreachable'))('calls what was never sent what may be tried again', async () => {
      const { actuator, effects, behave } = await open()
      await behave('unreachable')
      expect(await invoke(actuator, call())).toMatchObject({ class: 'retry' })
      expect(await effects()).toBe(0)
    })

    it.runIf(can('hang'))('gives up at the abort, and does not know', async () => {
      const { actuator, behave } = await open()
      await behave('hang')
      const controller = new AbortController()
      const calling = actuator.invoke(call({ signal: controller.signal })).catch(() => ({ class: 'unknown' }))
      setTimeout(() => controller.abort(new Error('the lease was lost')), abortMs)
      expect((await calling).class).toBe('unknown')
    })
  })
}

function isFunctionOrNull(value: unknown): boolean {
  return value === null || typeof value === 'function'
}
