import { write, writeSync } from 'node:fs'
import { afterNow, monotonicMs } from './clock.ts'
import { within } from './within.ts'

const togetherMs = 10
const heldMax = 8 * 1_048_576
const fullMs = 10
const patienceMs = 1_000

/** What one write takes: lines, and how many were lost before them, which it tells. */
interface Batch {
  bytes: Buffer
  lines: number
  lost: number
}

/**
 * Lines to a file descriptor, in their order and after the answers that they tell of: those of a few milliseconds go
 * out together. Nobody who reads them can stop the process or keep it from its end: lines that cannot be written, or
 * that come while 8 Mi characters are held, are lost and counted, and the next write tells the number.
 */
export class LineStream {
  readonly #fd: number
  #held = ''
  #lines = 0
  #lost = 0
  #due = false
  #writing = false
  /** What a full pipe has not taken yet. */
  #rest: Batch | null = null
  #whenWritten: (() => void) | null = null

  constructor(fd: number) {
    this.#fd = fd
    process.on('exit', () => this.#last())
  }

  write(line: string): void {
    if (this.#held.length + line.length > heldMax) {
      this.#lost += 1
      return
    }
    this.#held += line
    this.#lines += 1
    if (this.#due || this.#writing) return
    this.#due = true
    setTimeout(() => this.#send(), togetherMs)
  }

  /** Comes back when everything that was said is written or lost, or after a second. */
  async written(): Promise<void> {
    const all = new Promise<void>(resolve => {
      this.#whenWritten = resolve
    })
    this.#send()
    await within(all, patienceMs, () => undefined)
  }

  #send(): void {
    this.#due = false
    if (this.#writing) return
    if (this.#lines === 0) this.#whenWritten?.()
    else this.#put(this.#take())
  }

  #take(): Batch {
    const batch = { bytes: Buffer.from(tell(this.#lost) + this.#held), lines: this.#lines, lost: this.#lost }
    this.#held = ''
    this.#lines = 0
    return batch
  }

  #put(batch: Batch): void {
    this.#writing = true
    this.#rest = null
    write(this.#fd, batch.bytes, (error, written) => {
      if (error?.code === 'EAGAIN') this.#wait(batch)
      else if (error) this.#written(batch.lines)
      else if (written < batch.bytes.length) this.#put({ ...batch, bytes: batch.bytes.subarray(written) })
      else this.#written(-batch.lost)
    })
  }

  #wait(batch: Batch): void {
    this.#rest = batch
    setTimeout(() => this.#put(batch), fullMs)
  }

  #written(lost: number): void {
    this.#lost += lost
    this.#writing = false
    this.#send()
  }

  /** No event loop is left: what is held goes out within a second, or never. */
  #last(): void {
    const parts = this.#rest ? [this.#rest.bytes] : []
    if (this.#lines > 0) parts.push(this.#take().bytes)
    putNow(this.#fd, Buffer.concat(parts))
  }
}

/** On standard error: whatever the process says there. `process.stderr` has made a pipe one that does not block. */
export const standardError = new LineStream(process.stderr.fd)

function tell(lost: number): string {
  if (lost === 0) return ''
  return `${JSON.stringify({ level: 40, time: afterNow(0).toISOString(), lines: lost, msg: 'log lines were lost' })}\n`
}

function putNow(fd: number, bytes: Buffer): void {
  const end = monotonicMs() + patienceMs
  let rest = bytes
  while (rest.length > 0 && monotonicMs() < end) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullMs)
    }
  }
}
