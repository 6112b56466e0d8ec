import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** A file of JSON objects, one a line. */
export interface Lines<Line> {
  add(line: Line): void
  close(): Promise<void>
}

export function openLines<Line extends object>(path: string): Lines<Line> {
  const stream = createWriteStream(path, { flags: 'a' })
  return {
    add: line => void stream.write(`${JSON.stringify(line)}\n`),
    async close() {
      stream.end()
      await once(stream, 'close')
    },
  }
}

export function readLines<Line>(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(0, -1).map(line => JSON.parse(line) as Line)
}

/** A file whose lines survive whatever happens once `add` resolves; lines that come together are synced together. */
export async function openSyncedLines<Line extends object>(
  path: string,
): Promise<{ add(line: Line): Promise<void> }> {
  const file = await open(path, 'a')
  let waiting: string[] = []
  let next: Promise<void> | null = null
  let current: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    await current
    const lines = waiting
    waiting = []
    next = null
    current = file.write(lines.join('')).then(() => file.datasync())
    await current
  }
  return {
    add(line) {
      waiting.push(`${JSON.stringify(line)}\n`)
      next ??= write()
      return next
    },
  }
}
