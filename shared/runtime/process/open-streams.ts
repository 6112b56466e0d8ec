import { setMaxListeners } from 'node:events'
import { ok, type Result, refused } from '../../result.ts'
import { createHeldPlaces, type Holder } from '../room.ts'

/** Answers of this process that go on for minutes: so many for each who holds them, and all of them ended together. */
export interface OpenStreams {
  /** Room for one more; refused with the first of its holders that has as many as it may have. */
  open(holders: readonly Holder[]): Result<OpenStream, Holder>
  /** Aborted at close, when every stream had time to end by itself: what is left is cut. */
  cut: AbortSignal
  /** End every stream; one that is opened afterwards has ended already. */
  close(): void
}

export interface OpenStream {
  /** Aborted as soon as it is to end. */
  ended: AbortSignal
  /** End it, and make room for another; ending it again does nothing. */
  end(): void
}

const endMsMax = 250

export function createOpenStreams(): OpenStreams {
  const open = new Set<AbortController>()
  const places = createHeldPlaces()
  const cutting = new AbortController()
  setMaxListeners(0, cutting.signal)
  let closed = false
  return {
    cut: cutting.signal,
    open(holders) {
      const full = places.full(holders)
      if (full) return refused(full)
      const ending = new AbortController()
      const leave = places.take(holders)
      open.add(ending)
      if (closed) ending.abort()
      return ok({
        ended: ending.signal,
        end() {
          leave()
          open.delete(ending)
          ending.abort()
        },
      })
    },
    close() {
      closed = true
      for (const ending of open) ending.abort()
      setTimeout(() => cutting.abort(), endMsMax).unref()
    },
  }
}
