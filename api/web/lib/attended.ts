import { clockNow } from './clock.ts'

const unattendedAfterMs = 5 * 60_000
let lastInput = clockNow()

/**
 * Returns true if a person used this page within the last five minutes. Polling alone must not prolong a session.
 */
export function isAttended(): boolean {
  return clockNow() - lastInput < unattendedAfterMs
}

/** Listens for input that only a person can produce. Each page calls this once when it starts. */
export function watchInput(): void {
  for (const kind of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
    window.addEventListener(kind, () => (lastInput = clockNow()), { capture: true, passive: true })
  }
}
