import { merkleRoot } from '../audit/merkle.ts'
import { nodesForRoot, rootOf } from '../audit/proofs.ts'
import { type NodeRef, newNodes, type TreeNode } from '../audit/tree-nodes.ts'
import { newName } from '../runtime/ids.ts'
import {
  appendBatch,
  type LogBatch,
  type LogState,
  lockLogs,
  type QueuedEvent,
  readNodes,
  takeQueued,
  takeSequencer,
} from '../store/log.ts'
import type { Writer } from '../store/open.ts'
import type { Context } from './context.ts'

/** Changes that are integrated in one transaction. */
const changesAtOnce = 500

/**
 * Give the oldest events that wait their places in the logs of their tenants (audit definitions section 6): one process at
 * a time, in one transaction that holds the logs locked. Returns whether more may wait. Accepting never waits for it.
 */
export async function sequenceLog(context: Context, signs: boolean): Promise<boolean> {
  return context.store.write('all', async writer => {
    if (!(await takeSequencer(writer))) return false
    const queued = await takeQueued(writer, changesAtOnce)
    if (queued.length === 0) return false
    await appendBatch(writer, await integrate(writer, queued, signs))
    const changes = new Set(queued.map(({ outbox_id }) => outbox_id))
    context.events.logIntegrated(queued.length)
    return changes.size === changesAtOnce
  })
}

async function integrate(writer: Writer, queued: readonly QueuedEvent[], signs: boolean): Promise<LogBatch> {
  const byTenant = new Map<string, QueuedEvent[]>()
  for (const event of queued) byTenant.set(event.tenant_id, [...(byTenant.get(event.tenant_id) ?? []), event])
  const wanted = [...byTenant.keys()].map(tenant_id => ({ tenant_id, log_id: newName('log') }))
  const states = await lockLogs(writer, wanted, merkleRoot([]))
  const hashOf = await edgesOf(writer, states)
  const grown = states.map(state => grow(state, byTenant.get(state.tenant_id) ?? [], hashOf(state.tenant_id)))
  return {
    entries: grown.flatMap(({ entries }) => entries),
    nodes: grown.flatMap(({ nodes }) => nodes),
    states: grown.map(({ state }) => state),
    outbox_ids: [...new Set(queued.map(({ outbox_id }) => outbox_id))],
    unsigned: signs ? touchedActions(queued) : [],
  }
}

type HashOf = (ref: NodeRef) => Buffer

/** The right edge of each log: the complete subtrees that new leaves are joined to. */
async function edgesOf(writer: Writer, states: readonly LogState[]): Promise<(tenantId: string) => HashOf> {
  const refs = states.flatMap(({ tenant_id, size }) => nodesForRoot(size).map(ref => ({ tenant_id, ...ref })))
  const nodes = await readNodes(writer, refs)
  const key = (tenantId: string, { level, index }: NodeRef): string => `${tenantId}\n${level}\n${index}`
  const hashes = new Map(nodes.map(node => [key(node.tenant_id, node), node.hash]))
  return tenantId => ref => {
    const hash = hashes.get(key(tenantId, ref))
    if (!hash) throw new Error(`the log of ${tenantId} has no subtree ${ref.level}/${ref.index}`)
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
  const fresh = new Map(made.map(node => [`${node.level}/${node.index}`, node.hash]))
  const newSize = size + events.length
  const root = rootOf(newSize, ref => fresh.get(`${ref.level}/${ref.index}`) ?? edge(ref))
  return {
    state: { tenant_id, size: newSize, root },
    entries: events.map(({ stream, sequence }, at) => ({ tenant_id, index: size + at, stream, sequence })),
    nodes: made.map((node: TreeNode) => ({ tenant_id, ...node })),
  }
}

/** Each action of the batch once, with all of its events that are in the log now. */
function touchedActions(queued: readonly QueuedEvent[]): LogBatch['unsigned'] {
  const last = new Map<string, LogBatch['unsigned'][number]>()
  for (const { tenant_id, stream, sequence } of queued) {
    if (stream === 'config') continue
    const action_id = stream.slice('action/'.length)
    last.set(action_id, { tenant_id, action_id, event_count: sequence + 1 })
  }
  return [...last.values()]
}
