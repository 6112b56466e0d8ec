import { setMaxListeners } from 'node:events'

/** A signal that aborts `ms` after it was made, or when `parent` does; `clear` as soon as nobody listens any more. */
export interface Deadline {
  signal: AbortSignal
  clear(): void
}

/** Says that something ends; as many may listen as there are calls under way. */
export function createEnding(): AbortController {
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  return ending
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

/** What a promise comes to, or a rejection with the signal's reason where that is aborted first; the promise goes on. */
export async function unlessAborted<Answer>(promise: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let onAbort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}

/** Wait for a promise at most `ms`; a rejection is the caller's own business and was handled where it was made. */
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
