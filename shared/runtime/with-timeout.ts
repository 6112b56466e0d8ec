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
