import { setMaxListeners } from 'node:events'

/**
 * A signal that aborts after `ms` or with its parent. Call `clear` when done, otherwise the timer keeps running.
 */
export interface Deadline {
  signal: AbortSignal
  clear(): void
}

/** Returns a controller with no limit on listeners, because each running call adds a listener. */
export function createEnding(): AbortController {
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  return ending
}

/**
 * Opens a deadline whose timer and listener hold the controller. Signals of AbortSignal.timeout and
 * AbortSignal.any may be garbage-collected while a caller waits, and that caller would then wait forever.
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

export async function unlessAborted<Answer>(promise: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let onAbort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}

/**
 * Waits at most `ms` for a promise, then calls `onTimeout`. If the promise rejects earlier, the caller gets the
 * error.
 */
export async function withTimeout(
  promise: Promise<unknown>,
  ms: number,
  onTimeout: () => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const bound = new Promise<void>(resolve => {
    timer = setTimeout(() => {
      onTimeout()
      resolve()
    }, ms)
  })
  await Promise.race([promise.then(() => undefined), bound]).finally(() => clearTimeout(timer))
}
