import { ConfigError } from './config.ts'
import { standardError } from './line-stream.ts'
import { StartupError } from './startup-error.ts'
import { tellError } from './told-error.ts'

/** What a process runs: started, then told to close. */
export interface Life {
  /** Time that a close gives to what is under way, in milliseconds. */
  graceMs: number
  close(): Promise<void>
}

const complain = (text: string): void => {
  standardError.write(`${text}\n`)
}

/** A close that takes so much longer than it gives to what is under way is cut off. */
const closeMsMore = 8_000
/** Longest delay of a timer; a longer one would end at once. */
const timerMsMax = 2 ** 31 - 1

/**
 * Run a process to its end: exit 0 after SIGTERM or SIGINT and a graceful close, at once at a second signal, 2 for
 * invalid start-up input, 1 for what is missing or unexpected and for a close that does not end.
 */
export async function live(start: () => Promise<Life>): Promise<void> {
  process.on('unhandledRejection', die)
  process.on('uncaughtException', die)
  let signals = 0
  let life: Life | null = null
  const end = async (): Promise<void> => {
    signals += 1
    if (signals > 1) process.exit(1)
    if (!life) return
    const msMax = Math.min(life.graceMs + closeMsMore, timerMsMax)
    setTimeout(() => die(new StartupError(`not closed within ${msMax} ms: cut off`)), msMax)
    await life.close()
    await standardError.written()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end().catch(die))
  try {
    life = await start()
  } catch (error) {
    die(error)
  }
  if (signals > 0) {
    signals = 0
    await end()
  }
}

/** Close one after another what there is of these. */
export async function closeAll(parts: readonly (Pick<Life, 'close'> | null)[]): Promise<void> {
  for (const part of parts) await part?.close()
}

/** The embedded database ended by itself: so does the process, and says why. */
export function databaseLost(): void {
  die(new StartupError('the embedded PostgreSQL ended unexpectedly; start the service again'))
}

function die(error: unknown): never {
  if (error instanceof ConfigError) {
    complain(`invalid start-up configuration:\n${error.message}`)
    process.exit(2)
  }
  if (error instanceof StartupError) complain(error.message)
  else complain(`fatal: ${error instanceof Error ? tellError(error).stack : String(error)}`)
  process.exit(1)
}
