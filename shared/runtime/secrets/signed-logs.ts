import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'

export interface SignedLog {
  log_id: string
  size: number
  root: Buffer
}

/** A record of signed checkpoints outside the database. It reveals entries that a restored backup has lost. */
export interface SignedLogs {
  last(logId: string): SignedLog | undefined
  all(): SignedLog[]
  /** Records logs just before they are signed. Only the one signing process may call this. */
  remember(logs: readonly SignedLog[]): void
}

const linesToSpare = 10_000

/**
 * Keeps the record in a file with one line per signature, or in memory if `path` is null. The last line of each
 * log counts. Workers that share the file see each other's lines. Throws if the file cannot be read and written.
 */
export function openSignedLogs(path: string | null): SignedLogs {
  const logs = new Map<string, SignedLog>()
  if (path === null)
    return {
      last: logId => logs.get(logId),
      all: () => [...logs.values()],
      remember: signed => keep(logs, signed),
    }
  appendFileSync(path, '', { mode: 0o600 })
  let read = { inode: 0, end: 0, lines: 0 }
  const catchUp = (): void => {
    const { ino, size } = statSync(path)
    if (ino !== read.inode || size < read.end) read = { inode: ino, end: 0, lines: 0 }
    if (size === read.end) return
    const { found, end } = readLines(path, read.end)
    keep(logs, found)
    read = { ...read, end, lines: read.lines + found.length }
  }
  catchUp()
  return {
    last(logId) {
      catchUp()
      return logs.get(logId)
    },
    all() {
      catchUp()
      return [...logs.values()]
    },
    remember(signed) {
      catchUp()
      keep(logs, signed)
      if (read.lines + signed.length > 2 * logs.size + linesToSpare) rewrite(path, [...logs.values()])
      else append(path, read.end, signed)
    },
  }
}

function keep(logs: Map<string, SignedLog>, signed: readonly SignedLog[]): void {
  for (const log of signed) logs.set(log.log_id, log)
}

/** Reads whole lines from an offset. A line that a crash cut off is skipped, because its log was never signed. */
function readLines(path: string, start: number): { found: SignedLog[]; end: number } {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - start)
    const length = readSync(file, bytes, 0, bytes.length, start)
    const end = bytes.subarray(0, length).lastIndexOf('\n') + 1
    const lines = bytes.subarray(0, end).toString().split('\n').slice(0, -1)
    return { found: lines.map(text => readLine(path, text)), end: start + end }
  } finally {
    closeSync(file)
  }
}

function readLine(path: string, text: string): SignedLog {
  const [, log_id = '', size = '', root = ''] = /^(\S+) (\d{1,16}) (\S{44})$/.exec(text) ?? []
  const log = { log_id, size: Number(size), root: Buffer.from(root, 'base64') }
  if (!Number.isSafeInteger(log.size) || log.root.length !== 32)
    throw new Error(`${path} holds a line that is none of its own`)
  return log
}

function append(path: string, end: number, logs: readonly SignedLog[]): void {
  if (statSync(path).size > end) truncateSync(path, end)
  appendFileSync(path, logs.map(line).join(''))
}

function rewrite(path: string, logs: readonly SignedLog[]): void {
  writeFileSync(`${path}.new`, logs.map(line).join(''), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function line({ log_id, size, root }: SignedLog): string {
  return `${log_id} ${size} ${root.toString('base64')}\n`
}
