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
