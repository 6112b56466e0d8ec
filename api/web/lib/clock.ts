import { useSyncExternalStore } from 'react'

const tickMs = 1_000
let now = Date.now()
let timer: number | undefined
const listeners = new Set<() => void>()

/** The browser's clock in milliseconds, a second apart: all relative times of a page turn at once. */
export function useNow(): number {
  return useSyncExternalStore(follow, () => now)
}

/** The browser's clock as it is, for what happens once. */
export function clockNow(): number {
  return Date.now()
}

function follow(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) now = Date.now()
  timer ??= window.setInterval(tick, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}
