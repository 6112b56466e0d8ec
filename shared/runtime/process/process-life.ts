import { monotonicMs } from '../clock.ts'
import { StartupError } from '../outage.ts'
import { ConfigError } from '../settings/config.ts'
import { standardError } from '../telemetry/line-stream.ts'
import { serializeError } from '../telemetry/logger.ts'

export interface Life {
  graceMs: number
  close(): Promise<void>
}

const complain = (text: string): void => {
  standardError.write(`${text}\n`)
}

/** Cuts off a close that takes 8 seconds longer than its grace period. */
const closeMsMore = 8_000
/** The longest delay of a timer, because node fires a timer with a longer delay at once. */
const timerMsMax = 2 ** 31 - 1

/**
 * Signals within 1 second count as one, because Ctrl-C reaches the service from the terminal and again from npm.
 */
const sameRequestMs = 1_000

/**
 * Runs a process to its end. After SIGTERM or SIGINT it closes gracefully and exits with 0; a second signal after
 * more than 1 second makes it exit with 1 at once. It exits with 2 for invalid start-up input. Missing
 * requirements, unexpected errors and a close that does not end give 1.
 */
export async function live(start: () => Promise<Life>): Promise<void> {
  process.on('unhandledRejection', die)
  process.on('uncaughtException', die)
  let askedAt: number | null = null
  let life: Life | null = null
  const end = async (): Promise<void> => {
    if (!life) return
    const { graceMs, close } = life
    life = null
    const msMax = Math.min(graceMs + closeMsMore, timerMsMax)
    setTimeout(() => die(new StartupError(`not closed within ${msMax} ms: cut off`)), msMax)
    await close()
    await standardError.written()
    process.exit(0)
  }
  const signalled = (): void => {
    const now = monotonicMs()
    if (askedAt !== null && now - askedAt >= sameRequestMs) process.exit(1)
    askedAt ??= now
    void end().catch(die)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, signalled)
  try {
    life = await start()
  } catch (error) {
    die(error)
  }
  if (askedAt !== null) await end()
}

export async function closeAll(parts: readonly (Pick<Life, 'close'> | null)[]): Promise<void> {
  for (const part of parts) await part?.close()
}

export function databaseLost(): void {
  die(new StartupError('the embedded PostgreSQL ended unexpectedly; start the service again'))
}

function die(error: unknown): never {
  if (error instanceof ConfigError) {
    complain(`invalid start-up configuration:\n${error.message}`)
    process.exit(2)
  }
  if (error instanceof StartupError) complain(error.message)
  else complain(`fatal: ${error instanceof Error ? serializeError(error).stack : String(error)}`)
  process.exit(1)
}
