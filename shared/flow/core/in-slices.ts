import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../contract/base/errors.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { createHeldPlaces, type Holder } from '../../runtime/room.ts'
import type { Events } from '../../runtime/telemetry/events.ts'
import { createTurns } from '../../runtime/turns.ts'

/**
 * Runs work slice by slice. Rejects with `too_many_proofs` if a holder of the asker has as many under way as it
 * may.
 */
export type InSlices = <Value>(work: Slices<Value>) => Promise<Value>

export interface Asker {
  /** Askers of one name share one turn in the queue. */
  name: string
  /** Each holder counts the asker once, from its first work until it is gone and its last work has ended. */
  holders: readonly Holder[]
  gone(): boolean
  onGone(forget: () => void): void
}

/** A queue per process, so that few works share the event loop and each yields soon, however many callers ask. */
export interface ProofQueue {
  of(asker: Asker): InSlices
}

export const byItself: Asker = { name: '', holders: [], gone: () => false, onGone: () => undefined }

/** Milliseconds until a work lets others run; within its slice it goes on each time that it yields. */
const sliceMs = 8

const atOnce = 2

export function createProofQueue({ proved, proving }: Pick<Events, 'proved' | 'proving'>): ProofQueue {
  const places = createHeldPlaces()
  const turns = createTurns(atOnce)

  const enter = ({ holders, onGone }: Asker) => {
    const full = places.full(holders)
    if (full) {
      throw new ServiceError('too_many_proofs', `${full.name} has ${full.most} under way, as many as it may`)
    }
    const leave = places.take(holders)
    let works = 0
    let isGone = false
    onGone(() => {
      isGone = true
      if (works === 0) leave()
    })
    return (more: 1 | -1): void => {
      works += more
      if (works === 0 && isGone) leave()
    }
  }

  return {
    of(asker) {
      let count: ((more: 1 | -1) => void) | undefined
      return async <Value>(work: Slices<Value>): Promise<Value> => {
        count ??= enter(asker)
        count(1)
        const end = await turns.wait(asker.name)
        try {
          refuseGone(asker)
          proving(1)
          const driven = await drive(work, asker).finally(() => proving(-1))
          proved(driven.tookMs, driven.longestMs)
          return driven.value
        } finally {
          count(-1)
          end()
        }
      }
    },
  }
}

async function drive<Value>(work: Slices<Value>, asker: Asker) {
  const beganMs = monotonicMs()
  let longestMs = 0
  for (;;) {
    const sliceBeganMs = monotonicMs()
    let step = work.next()
    while (!step.done && monotonicMs() - sliceBeganMs < sliceMs) step = work.next()
    const nowMs = monotonicMs()
    longestMs = Math.max(longestMs, nowMs - sliceBeganMs)
    if (step.done) return { value: step.value, tookMs: nowMs - beganMs, longestMs }
    await setImmediate()
    refuseGone(asker)
  }
}

function refuseGone({ gone }: Asker): void {
  if (gone()) throw new ServiceError('internal_error', 'nobody waits for the answer any more')
}
