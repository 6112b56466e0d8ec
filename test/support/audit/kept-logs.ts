import { appendFileSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whatever a process of a test run logs is kept in files of one directory, beside the secrets that tests sent, received
 * or planted; the run fails when one is in the other. The directory is in the environment, so that processes started by
 * processes keep theirs too; without it nothing is kept.
 */
export const logsVariable = 'ACTION_GATE_TEST_LOGS'
export const secretsSuffix = '.secrets'

/** Where lines of one log are kept. */
export interface KeptLog {
  write(line: string): void
}

let logs = 0

export function publishLog(name: string, directory = process.env[logsVariable]): KeptLog {
  if (!directory) return { write: () => undefined }
  logs += 1
  mkdirSync(directory, { recursive: true })
  const file = openSync(join(directory, `${process.pid}-${logs}-${name.replaceAll(/\W+/g, '-')}.log`), 'a')
  return { write: line => void writeSync(file, line) }
}

const planted = new Set<string>()

/** From here on this may be in no log. */
export function plantSecret(secret: string, directory = process.env[logsVariable]): void {
  if (!directory || planted.has(secret)) return
  planted.add(secret)
  mkdirSync(directory, { recursive: true })
  appendFileSync(join(directory, `${process.pid}${secretsSuffix}`), `${JSON.stringify(secret)}\n`)
}

/** A text that is nowhere else, to be planted where no log may show it. */
export function canary(name: string): string {
  const text = `canary-${name}-${process.pid}-${planted.size}-${Math.random().toString(36).slice(2)}`
  plantSecret(text)
  return text
}
