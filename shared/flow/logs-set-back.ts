import { nodesForRoot, rootOf } from '../audit/proofs.ts'
import type { SignedLog, SignedLogs } from '../runtime/signed-logs.ts'
import { type LogState, readNodes } from '../store/log.ts'
import type { Writer } from '../store/open.ts'
import { hashAmong } from './log-proofs.ts'

/** A log that does not continue what was signed, and in what way. */
export interface LogSetBack {
  tenant_id: string
  problem: string
}

/**
 * Of the logs those that do not continue what this process has signed (audit definitions section 6): shorter, another root at
 * the same size, or another tree below it. So it is after a restore from a backup, or when somebody rewrote the tables.
 */
export async function logsSetBack(
  writer: Writer,
  signed: SignedLogs,
  logs: readonly LogState[],
): Promise<LogSetBack[]> {
  const found: LogSetBack[] = []
  for (const log of logs) {
    const last = signed.last(log.log_id)
    const problem = last ? await setBack(writer, log, last) : null
    if (problem !== null) found.push({ tenant_id: log.tenant_id, problem })
  }
  return found
}

async function setBack(writer: Writer, log: LogState, last: SignedLog): Promise<string | null> {
  if (log.size < last.size) return `it was signed with ${last.size} entries and has ${log.size}`
  const refs = nodesForRoot(last.size).map(ref => ({ tenant_id: log.tenant_id, ...ref }))
  const nodes = await readNodes(writer, refs)
  if (nodes.length !== refs.length) return `some of its first ${last.size} entries are missing`
  const hashOf = hashAmong(log.tenant_id, nodes)
  return rootOf(last.size, hashOf).equals(last.root)
    ? null
    : `its first ${last.size} entries are not those that were signed`
}
