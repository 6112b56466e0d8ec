import { useSyncExternalStore } from 'react'

const tickMs = 1_000
let now = Date.now()
let timer: number | undefined
const listeners = new Set<() => void>()

/**
 * Returns the browser's time in milliseconds, updated every second. All relative times of a page change together.
 */
export function useNow(): number {
  return useSyncExternalStore(follow, () => now)
}

/** Returns the browser's time in milliseconds without re-rendering the component. */
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
