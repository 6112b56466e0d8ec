import { setMaxListeners } from 'node:events'
import { ok, type Result, refused } from '../../result.ts'
import { createHeldPlaces, type Holder } from '../room.ts'

/** Streams that this process has open for minutes. Each holder may have a limited number, and all end together. */
export interface OpenStreams {
  open(holders: readonly Holder[]): Result<OpenStream, Holder>
  /** Aborts 250 ms after `close`, to cut off streams that have not ended by then. */
  cut: AbortSignal
  close(): void
}

export interface OpenStream {
  ended: AbortSignal
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
