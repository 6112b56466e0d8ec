/** A signal that aborts `ms` after it was made, or when `parent` does; `clear` as soon as nobody listens any more. */
export interface Deadline {
  signal: AbortSignal
  clear(): void
}

/**
 * A timer and a listener, both of which hold the controller: signals of AbortSignal.timeout and AbortSignal.any may be
 * collected as garbage while somebody waits for them, who is then never told.
 */
export function openDeadline(parent: AbortSignal, ms: number): Deadline {
  const controller = new AbortController()
  const passOn = (): void => controller.abort(parent.reason)
  const late = setTimeout(() => controller.abort(new Error(`it took longer than ${ms} ms`)), ms)
  if (parent.aborted) passOn()
  else parent.addEventListener('abort', passOn, { once: true })
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(late)
      parent.removeEventListener('abort', passOn)
    },
  }
}
