import { clockNow } from './clock.ts'

const unattendedAfterMs = 5 * 60_000
let lastInput = clockNow()

/** Whether a person did something at this page within the last five minutes: what the page asks by itself keeps no session. */
export function isAttended(): boolean {
  return clockNow() - lastInput < unattendedAfterMs
}

/** Watch for what only a person does; called once, at the start of a page. */
export function watchInput(): void {
  for (const kind of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
    window.addEventListener(kind, () => (lastInput = clockNow()), { capture: true, passive: true })
  }
}
