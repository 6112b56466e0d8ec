import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { afterNow, monotonicMs } from '../clock.ts'
import { withTimeout } from '../deadline.ts'

const togetherMs = 50
const heldMax = 8 * 1_048_576
const fullMs = 10
const patienceMs = 1_000

interface Batch {
  bytes: Buffer
  lines: number
  lost: number
}

/**
 * Writes lines in order to a file descriptor that does not block, every 50 ms. A slow reader can neither stop the
 * process nor delay its end: lines that cannot be written, or that come while 8 Mi characters are held, are lost
 * and counted, and the next write reports the number.
 */
export class LineStream {
  readonly #open: () => number
  #fd: number | null = null
  #held = ''
  #lines = 0
  #lost = 0
  #due = false
  #rest: Batch | null = null
  #whenWritten: (() => void) | null = null

  constructor(open: () => number) {
    this.#open = open
    process.on('exit', () => this.#last())
  }

  write(line: string): void {
    if (this.#held.length + line.length > heldMax) {
      this.#lost += 1
      return
    }
    this.#held += line
    this.#lines += 1
    if (!this.#due) this.#sendIn(togetherMs)
  }

  /** Resolves when all lines are written or lost, after at most 1 second. */
  async written(): Promise<void> {
    const all = new Promise<void>(resolve => {
      this.#whenWritten = resolve
    })
    this.#send()
    await withTimeout(all, patienceMs, () => undefined)
  }

  #sendIn(ms: number): void {
    this.#due = true
    setTimeout(() => this.#send(), ms).unref()
  }

  #send(): void {
    this.#due = false
    while (this.#rest || this.#lines > 0) {
      const batch = this.#rest ?? this.#take()
      this.#fd ??= this.#open()
      const left = put(this.#fd, batch.bytes)
      if (left !== null && left.length > 0) {
        this.#rest = { ...batch, bytes: left }
        this.#sendIn(fullMs)
        return
      }
      this.#rest = null
      this.#lost += left === null ? batch.lines : -batch.lost
    }
    this.#whenWritten?.()
  }

  #take(): Batch {
    const batch = { bytes: Buffer.from(tell(this.#lost) + this.#held), lines: this.#lines, lost: this.#lost }
    this.#held = ''
    this.#lines = 0
    return batch
  }

  /** Writes the held lines at exit, where no event loop runs, by waiting up to 1 second. */
  #last(): void {
    const end = monotonicMs() + patienceMs
    this.#send()
    while (this.#rest && monotonicMs() < end) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullMs)
      this.#send()
    }
  }
}

export const standardError = new LineStream(openStandardError)

/**
 * Opens a pipe or terminal again, because other processes that share it can make it block. A socket cannot be
 * opened again, and a file that this process may not open is used directly; `process.stderr` has made both
 * non-blocking. Files never block.
 */
function openStandardError(): number {
  const { fd } = process.stderr
  const kind = fstatSync(fd)
  if (!kind.isFIFO() && !kind.isCharacterDevice()) return fd
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return fd
  }
}

function tell(lost: number): string {
  if (lost === 0) return ''
  return `${JSON.stringify({ level: 40, time: afterNow(0).toISOString(), lines: lost, msg: 'log lines were lost' })}\n`
}

/** Returns the bytes that a full pipe did not take, or null if no reader is left. */
function put(fd: number, bytes: Buffer): Buffer | null {
  let rest = bytes
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
    return rest
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? rest : null
  }
}
