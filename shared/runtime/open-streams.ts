import { setMaxListeners } from 'node:events'

/** Answers of this process that go on for minutes: so many for each holder, and all of them ended together. */
export interface OpenStreams {
  /** Room for one more, or null where its holder has as many as one may have. */
  open(holder: string): OpenStream | null
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

export function createOpenStreams(perHolderMax: number): OpenStreams {
  const open = new Map<string, Set<AbortController>>()
  const cutting = new AbortController()
  setMaxListeners(0, cutting.signal)
  let closed = false
  return {
    cut: cutting.signal,
    open(holder) {
      const held = open.get(holder) ?? new Set()
      if (held.size >= perHolderMax) return null
      const ending = new AbortController()
      open.set(holder, held.add(ending))
      if (closed) ending.abort()
      return {
        ended: ending.signal,
        end() {
          held.delete(ending)
          if (held.size === 0 && open.get(holder) === held) open.delete(holder)
          ending.abort()
        },
      }
    },
    close() {
      closed = true
      for (const held of open.values()) for (const ending of held) ending.abort()
      setTimeout(() => cutting.abort(), endMsMax).unref()
    },
  }
}
