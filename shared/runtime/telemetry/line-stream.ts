import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { afterNow, monotonicMs } from '../clock.ts'
import { withTimeout } from '../deadline.ts'

const togetherMs = 50
const heldMax = 8 * 1_048_576
const fullMs = 10
const patienceMs = 1_000

/** What is being written: lines, and how many were lost before them, which it tells. */
interface Batch {
  bytes: Buffer
  lines: number
  lost: number
}

/**
 * Lines to a file descriptor that does not block, in their order and after the answers that they tell of: those of fifty
 * milliseconds go out together. Nobody who reads them can stop the process or keep it from its end: lines that cannot be
 * written, or that come while 8 Mi characters are held, are lost and counted, and the next write tells the number.
 */
export class LineStream {
  readonly #open: () => number
  #fd: number | null = null
  #held = ''
  #lines = 0
  #lost = 0
  #due = false
  /** What a full pipe has not taken yet. */
  #rest: Batch | null = null
  #whenWritten: (() => void) | null = null

  /** `open` is asked for the file descriptor once, with the first line. */
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

  /** Comes back when everything that was said is written or lost, or after a second. */
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

  /** No event loop is left: what is held goes out within a second, or never. */
  #last(): void {
    const end = monotonicMs() + patienceMs
    this.#send()
    while (this.#rest && monotonicMs() < end) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullMs)
      this.#send()
    }
  }
}

/** On standard error: whatever the process says there. */
export const standardError = new LineStream(openStandardError)

/**
 * A pipe or terminal may be shared with others, who can make it block again: it is opened anew. A socket cannot be, and
 * whatever this process may not open is used as it is; `process.stderr` has made both not block. Files do not.
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

/** What was not taken, since the pipe is full; null when there is nobody to take anything. */
function put(fd: number, bytes: Buffer): Buffer | null {
  let rest = bytes
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
    return rest
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? rest : null
  }
}
