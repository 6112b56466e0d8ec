import { existsSync, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** One call of a ledger actuator, one line of its file. */
export interface LedgerCall {
  actuator: string
  action_id: string
  key: string
  attempt: number
  /** Whether the call has an effect; with a key that is honoured, only the first call of the key that does. */
  performs: boolean
  /** Whether the attempt was committed when the call began. */
  written_ahead: boolean
  pid: number
  at: string
}

let opened: Promise<FileHandle> | null = null

/** Append a call; it survives the death of the process and of the machine once this resolves. */
export async function recordCall(file: string, call: LedgerCall): Promise<void> {
  opened ??= open(file, 'a')
  const ledger = await opened
  await ledger.write(`${JSON.stringify(call)}\n`)
  await ledger.sync()
}

/** The calls so far, in the order in which they were written. */
export function readCalls(file: string): LedgerCall[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.slice(0, -1).map(line => JSON.parse(line) as LedgerCall)
}
