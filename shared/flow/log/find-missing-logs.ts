import { nodesForRoot, rootOf } from '../../audit/merkle/proofs.ts'
import type { SignedLog, SignedLogs } from '../../runtime/secrets/signed-logs.ts'
import { type LogNode, type LogState, readLogsById, readNodes } from '../../store/log/log.ts'
import type { Reader } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import { hashAmong } from './log-proofs.ts'

const logsAtOnce = 500

/**
 * Compares every signed log with the database, even without growth, because after a restore a log may be shorter,
 * different or missing. Each is reported once and, if its tenant is known, no longer signed; `lost` holds the ids
 * of the reported logs.
 */
export async function findLostLogs(
  context: Context,
  signed: SignedLogs,
  { refused, lost, isStopped }: { refused: Set<string>; lost: Set<string>; isStopped: () => boolean },
): Promise<void> {
  const logs = signed.all().filter(({ log_id }) => !lost.has(log_id))
  for (let at = 0; at < logs.length && !isStopped(); at += logsAtOnce) {
    const page = logs.slice(at, at + logsAtOnce)
    const found = await context.store.read('all', reader => lostAmong(reader, page))
    for (const { log_id, tenant_id, problem } of found) {
      lost.add(log_id)
      if (tenant_id !== null && refused.has(tenant_id)) continue
      if (tenant_id !== null) refused.add(tenant_id)
      context.events.logRolledBack(tenant_id, problem, log_id)
    }
  }
}

interface LostLog {
  log_id: string
  /** Null if the database has no such log. */
  tenant_id: string | null
  problem: string
}

async function lostAmong(reader: Reader, logs: readonly SignedLog[]): Promise<LostLog[]> {
  const states = await readLogsById(
    reader,
    logs.map(({ log_id }) => log_id),
  )
  const byId = new Map(states.map(state => [state.log_id, state]))
  const refs = logs.flatMap(({ log_id, size }) => {
    const state = byId.get(log_id)
    return state ? nodesForRoot(size).map(ref => ({ tenant_id: state.tenant_id, ...ref })) : []
  })
  const nodes = new Map(states.map(({ tenant_id }) => [tenant_id, [] as LogNode[]]))
  for (const node of await readNodes(reader, refs)) nodes.get(node.tenant_id)?.push(node)
  return logs.flatMap(log => {
    const state = byId.get(log.log_id)
    const tenant_id = state?.tenant_id ?? null
    const problem = state ? lostOf(log, state, nodes.get(state.tenant_id) ?? []) : missing(log)
    return problem === null ? [] : [{ log_id: log.log_id, tenant_id, problem }]
  })
}

function missing({ size }: SignedLog): string {
  return `it was signed with ${size} entries and is not in the database`
}

function lostOf({ size, root }: SignedLog, state: LogState, nodes: readonly LogNode[]): string | null {
  if (state.size < size) return `it was signed with ${size} entries and has ${state.size}`
  if (nodes.length !== nodesForRoot(size).length) return `some of its first ${size} entries are missing`
  return rootOf(size, hashAmong(state.tenant_id, nodes)).equals(root)
    ? null
    : `its first ${size} entries are not those that were signed`
}
