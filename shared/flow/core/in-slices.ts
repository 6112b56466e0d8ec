import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../contract/base/errors.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { createHeldPlaces, type Holder } from '../../runtime/room.ts'
import type { Events } from '../../runtime/telemetry/events.ts'
import { createTurns } from '../../runtime/turns.ts'

/** Does work slice by slice. Rejects with `too_many_proofs` where the asker has as many under way as it may have. */
export type InSlices = <Value>(work: Slices<Value>) => Promise<Value>

/** Who asks for such work. */
export interface Asker {
  /** Askers with the same name take turns with the others as one. */
  name: string
  /** Each counts the asker once, from its first work on until nobody waits for it any more. */
  holders: readonly Holder[]
  /** Whether nobody waits any more: the work is then given up. */
  gone(): boolean
  /** Calls back once, when nobody waits any more. */
  onGone(forget: () => void): void
}

/** One for a process: however many ask, few works share the event loop, and each gives it back soon. */
export interface ProofQueue {
  of(asker: Asker): InSlices
}

/** The process itself, which waits for whatever it asks. */
export const byItself: Asker = { name: '', holders: [], gone: () => false, onGone: () => undefined }

/** The work stops by itself every few milliseconds; what is left of a slice it may go on with. */
const sliceMs = 8

/** Works under way at once in a process; others wait for their turn. */
const atOnce = 2

export function createProofQueue({ proved, proving }: Pick<Events, 'proved' | 'proving'>): ProofQueue {
  const places = createHeldPlaces()
  const turns = createTurns(atOnce)

  /** Room for an asker, who leaves it when nobody waits any more and nothing of it is left. */
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
