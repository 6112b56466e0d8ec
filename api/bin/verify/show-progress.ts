import type { WriteStream } from 'node:tty'
import { monotonicMs } from '../../../shared/runtime/clock.ts'

export interface Progress {
  done: number
  total: number
}

/** Shows the progress of a long check: one rewritten line on a terminal, otherwise a line every 5 seconds. */
export interface ShownProgress {
  show(progress: Progress): void
  end(): void
}

const terminalMs = 100
const plainMs = 5_000
const barWidth = 30

export function showProgress(stream: Pick<WriteStream, 'write'> & { isTTY?: boolean }): ShownProgress {
  const isTerminal = stream.isTTY === true
  const begun = monotonicMs()
  let before = 0
  let shownAt = begun
  let isShown = false
  return {
    show({ done, total }) {
      const now = monotonicMs()
      if (before === 0) before = done // An earlier run's work would distort the rate.
      if (now - shownAt < (isTerminal ? terminalMs : plainMs)) return
      shownAt = now
      isShown = true
      const line = lineOf({ done, total }, ((done - before) * 1000) / (now - begun), isTerminal)
      stream.write(isTerminal ? `\r${line}\u001b[K` : `${line}\n`)
    },
    end() {
      if (isTerminal && isShown) stream.write('\n')
    },
  }
}

/** Shows at most 99 %, because the data may grow beyond the first count. */
function lineOf({ done, total }: Progress, rate: number, isTerminal: boolean): string {
  const share = Math.min(0.99, done / Math.max(1, total))
  const filled = Math.round(share * barWidth)
  const bar = isTerminal ? `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ` : ''
  return `${bar}${Math.floor(share * 100)} %, ${done} of about ${total}, ${Math.round(rate)}/s`
}
