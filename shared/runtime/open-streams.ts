import { setMaxListeners } from 'node:events'

/** Answers of this process that go on for minutes: so many for each who holds them, and all of them ended together. */
export interface OpenStreams {
  /** Room for one more, or null where one of those who hold it has as many as it may have. */
  open(holders: readonly Holder[]): OpenStream | null
  /** Aborted at close, when every stream had time to end by itself: what is left is cut. */
  cut: AbortSignal
  /** End every stream; one that is opened afterwards has ended already. */
  close(): void
}

/** Who holds a stream, and how many of them at most. */
export interface Holder {
  name: string
  most: number
}

export interface OpenStream {
  /** Aborted as soon as it is to end. */
  ended: AbortSignal
  /** End it, and make room for another; ending it again does nothing. */
  end(): void
}

const endMsMax = 250

export function createOpenStreams(): OpenStreams {
  const open = new Map<string, Set<AbortController>>()
  const cutting = new AbortController()
  setMaxListeners(0, cutting.signal)
  let closed = false
  return {
    cut: cutting.signal,
    open(holders) {
      if (holders.some(({ name, most }) => (open.get(name)?.size ?? 0) >= most)) return null
      const ending = new AbortController()
      for (const { name } of holders) open.set(name, (open.get(name) ?? new Set()).add(ending))
      if (closed) ending.abort()
      return {
        ended: ending.signal,
        end() {
          for (const { name } of holders) {
            const held = open.get(name)
            held?.delete(ending)
            if (held?.size === 0) open.delete(name)
          }
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
