import { merkleRoot } from '../../audit/merkle/merkle.ts'
import { nodesForRoot, rootOf } from '../../audit/merkle/proofs.ts'
import { type HashOf, type NodeRef, newNodes, type TreeNode } from '../../audit/merkle/tree-nodes.ts'
import { newName } from '../../runtime/ids.ts'
import {
  appendBatch,
  isThereAlready,
  type LogBatch,
  type LogState,
  lockLogs,
  type QueuedEvent,
  readNodes,
  takeQueued,
  takeSequencer,
} from '../../store/log/log.ts'
import type { Writer } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'

const changesAtOnce = 500

/**
 * Appends the oldest waiting events to the logs of their tenants (specification.md#audit-in-postgres), in one
 * process at a time and one transaction that locks the logs. A log whose subtrees contradict its root, or whose
 * next events are missing or already logged, is reported and skipped, so that the others go on. Returns the grown
 * logs and whether more events may wait; proposals never wait for it.
 */
export async function sequenceLog(context: Context, damaged: Set<string>): Promise<Sequenced> {
  const tried = new Set<string>()
  try {
    return await sequenceBatch(context, damaged, ({ tenant_id }) => {
      tried.add(tenant_id)
      return true
    })
  } catch (error) {
    if (!isThereAlready(error)) throw error
    return sequenceApart(context, damaged, tried)
  }
}

/** Sequences each tenant alone, so that only the one with duplicate rows is skipped. */
async function sequenceApart(
  context: Context,
  damaged: Set<string>,
  tenants: ReadonlySet<string>,
): Promise<Sequenced> {
  const grown: string[] = []
  for (const tenantId of tenants) {
    try {
      grown.push(...(await sequenceBatch(context, damaged, one => one.tenant_id === tenantId)).grown)
    } catch (error) {
      if (!isThereAlready(error)) throw error
      damaged.add(tenantId)
      context.events.logDamaged(tenantId)
    }
  }
  return { more: true, grown }
}

async function sequenceBatch(
  context: Context,
  damaged: Set<string>,
  isTaken: (event: QueuedEvent) => boolean,
): Promise<Sequenced> {
  const sequenced = await context.store.write('all', async writer => {
    if (!(await takeSequencer(writer))) return nothing
    const waiting = await takeQueued(writer, [...damaged], changesAtOnce)
    const queued = waiting.filter(isTaken)
    if (queued.length === 0) return nothing
    const logs = await lockedLogs(writer, queued)
    const ill = [
      ...logs.filter(log => !isWhole(log)).map(({ state }) => state.tenant_id),
      ...queued.filter(({ is_whole }) => !is_whole).map(({ tenant_id }) => tenant_id),
    ]
    for (const tenantId of new Set(ill)) {
      damaged.add(tenantId)
      context.events.logDamaged(tenantId)
    }
    const sound = queued.filter(({ tenant_id }) => !damaged.has(tenant_id))
    await appendBatch(writer, integrate(logs, sound))
    context.events.logIntegrated(sound.length)
    return {
      more: new Set(waiting.map(({ outbox_id }) => outbox_id)).size === changesAtOnce,
      grown: [...new Set(sound.map(({ tenant_id }) => tenant_id))],
    }
  })
  context.tail.hint(sequenced.grown)
  return sequenced
}

export interface Sequenced {
  more: boolean
  grown: string[]
}

const nothing: Sequenced = { more: false, grown: [] }

/** A locked log with its right edge: the complete subtrees that new leaves join, by level and index. */
interface LockedLog {
  state: LogState
  edge: ReadonlyMap<string, Buffer>
}

async function lockedLogs(writer: Writer, queued: readonly QueuedEvent[]): Promise<LockedLog[]> {
  const tenants = [...new Set(queued.map(({ tenant_id }) => tenant_id))]
  const wanted = tenants.map(tenant_id => ({ tenant_id, log_id: newName('log') }))
  const states = await lockLogs(writer, wanted, merkleRoot([]))
  const refs = states
    .filter(isSized)
    .flatMap(({ tenant_id, size }) => nodesForRoot(size).map(ref => ({ tenant_id, ...ref })))
  const edges = new Map(states.map(({ tenant_id }) => [tenant_id, new Map<string, Buffer>()]))
  for (const node of await readNodes(writer, refs)) edges.get(node.tenant_id)?.set(place(node), node.hash)
  return states.map(state => ({ state, edge: edges.get(state.tenant_id) ?? new Map() }))
}

/** Checks the size, because a tampered row may hold one that no tree has. */
function isSized({ size }: LogState): boolean {
  return Number.isSafeInteger(size)
}

function isWhole({ state, edge }: LockedLog): boolean {
  if (!isSized(state)) return false
  const { size, root } = state
  if (edge.size !== nodesForRoot(size).length) return false
  return rootOf(size, hashIn(edge)).equals(root)
}

function integrate(logs: readonly LockedLog[], queued: readonly QueuedEvent[]): LogBatch {
  const byTenant = new Map<string, QueuedEvent[]>()
  for (const event of queued) {
    const events = byTenant.get(event.tenant_id)
    if (events) events.push(event)
    else byTenant.set(event.tenant_id, [event])
  }
  const grown = logs.flatMap(({ state, edge }) => {
    const events = byTenant.get(state.tenant_id)
    return events ? grow(state, events, hashIn(edge)) : []
  })
  return {
    entries: grown.flatMap(({ entries }) => entries),
    nodes: grown.flatMap(({ nodes }) => nodes),
    states: grown.map(({ state }) => state),
    outbox_ids: [...new Set(queued.map(({ outbox_id }) => outbox_id))],
    touched: touchedActions(queued),
  }
}

function place({ level, index }: NodeRef): string {
  return `${level}/${index}`
}

function hashIn(nodes: ReadonlyMap<string, Buffer>): HashOf {
  return ref => {
    const hash = nodes.get(place(ref))
    if (!hash) throw new Error(`the log has no subtree ${place(ref)}`)
    return hash
  }
}

interface Grown {
  state: Omit<LogState, 'log_id'>
  entries: LogBatch['entries']
  nodes: LogBatch['nodes']
}

function grow({ tenant_id, size }: LogState, events: readonly QueuedEvent[], edge: HashOf): Grown {
  const made = newNodes(
    size,
    events.map(({ leaf_hash }) => leaf_hash),
    edge,
  )
  const fresh = new Map(made.map(node => [place(node), node.hash]))
  const newSize = size + events.length
  const root = rootOf(newSize, ref => fresh.get(place(ref)) ?? edge(ref))
  return {
    state: { tenant_id, size: newSize, root },
    entries: events.map(({ stream, sequence }, at) => ({ tenant_id, index: size + at, stream, sequence })),
    nodes: made.map((node: TreeNode) => ({ tenant_id, ...node })),
  }
}

function touchedActions(queued: readonly QueuedEvent[]): LogBatch['touched'] {
  const last = new Map<string, LogBatch['touched'][number]>()
  for (const { tenant_id, stream, sequence } of queued) {
    if (stream === 'config') continue
    const action_id = stream.slice('action/'.length)
    last.set(action_id, { tenant_id, action_id, event_count: sequence + 1 })
  }
  return [...last.values()]
}
