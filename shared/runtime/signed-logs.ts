import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Size and root of a log as they were signed. */
export interface SignedLog {
  log_id: string
  size: number
  root: Buffer
}

/** What this process has signed, kept outside the database: after a restore from a backup it tells what went. */
export interface SignedLogs {
  last(logId: string): SignedLog | undefined
  /** Keep what is about to be signed. */
  remember(logs: readonly SignedLog[]): void
}

/** Kept in a file with one line a signature, of which the last of each log counts; in memory alone where there is none. */
export function openSignedLogs(path: string | null): SignedLogs {
  const logs = new Map<string, SignedLog>()
  if (path !== null && existsSync(path)) {
    for (const log of readJournal(path)) logs.set(log.log_id, log)
    rewrite(path, [...logs.values()])
  }
  return {
    last: logId => logs.get(logId),
    remember(signed) {
      if (path !== null) appendFileSync(path, signed.map(line).join(''), { mode: 0o600 })
      for (const log of signed) logs.set(log.log_id, log)
    },
  }
}

function line({ log_id, size, root }: SignedLog): string {
  return `${log_id} ${size} ${root.toString('base64')}\n`
}

/** A last line that was cut off by a crash is not taken: what it spoke of was never signed. */
function readJournal(path: string): SignedLog[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  lines.pop()
  return lines.map(text => {
    const [log_id = '', size = '', root = ''] = text.split(' ')
    const log = { log_id, size: Number(size), root: Buffer.from(root, 'base64') }
    if (!Number.isSafeInteger(log.size) || log.root.length !== 32)
      throw new Error(`${path} holds a line that is none of its own`)
    return log
  })
}

function rewrite(path: string, logs: readonly SignedLog[]): void {
  writeFileSync(`${path}.new`, logs.map(line).join(''), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
