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
 * Writes lines in order to a file descriptor every 50 ms, without blocking. A slow reader can therefore neither
 * stop the process nor delay its end. Lines that cannot be written are lost, and so are new lines while 8 Mi
 * characters are held. The next successful write reports the number of lost lines.
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

  /**
   * Writes the held lines at process exit. It waits by blocking, up to 1 second, because no event loop runs then.
   */
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
 * Opens a pipe or terminal again, because another process that shares it can make it block. A socket cannot be
 * opened again, and a file may be unreadable for this process. These are used directly, because `process.stderr`
 * has made them non-blocking. Files never block.
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

/** Returns the bytes that did not fit into a full pipe, or null if the pipe has no reader. */
function put(fd: number, bytes: Buffer): Buffer | null {
  let rest = bytes
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
    return rest
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? rest : null
  }
}
