import { type GrowingTree, growTree } from '../../audit/merkle/growing-tree.ts'
import { nodesForRoot, rootOf } from '../../audit/merkle/proofs.ts'
import { ok, type Result, refused } from '../../result.ts'
import type { SignedLog, SignedLogs } from '../../runtime/secrets/signed-logs.ts'
import { type LogNode, readNodes } from '../../store/log/log.ts'
import type { UnsignedLog } from '../../store/log/log-signing.ts'
import { type EntryRange, readEntryLeaves } from '../../store/log/log-to-sign.ts'
import type { Writer } from '../../store/postgres/open.ts'
import { lastSigned } from './last-signed.ts'
import { hashAmong } from './log-proofs.ts'

export interface RolledBackLog {
  tenant_id: string
  problem: string
}

const entriesAtOnce = 10_000
const hashBytes = 32

/**
 * Returns the logs that do not continue their signed state (specification.md#audit-in-postgres). Each grows from
 * the right edge of the signed tree by the events of its new entries and must reach its own root and stored
 * subtrees, because the database's size and root are never trusted unchecked.
 */
export async function rolledBackLogs(
  writer: Writer,
  signed: SignedLogs,
  logs: readonly UnsignedLog[],
): Promise<RolledBackLog[]> {
  const sized = logs.filter(({ size }) => Number.isSafeInteger(size))
  const last = await lastSigned(writer, signed, sized)
  const stored = await storedEdges(writer, sized, last)
  const found = logs
    .filter(log => !sized.includes(log))
    .map(({ tenant_id }) => ({ tenant_id, problem: 'its size is not that of a log' }))
  const growing: Growing[] = []
  for (const log of sized) {
    const { tenant_id } = log
    const begun = begin(log, last.get(tenant_id), stored.get(tenant_id) ?? [])
    if (begun.ok) growing.push({ log, tree: begun.value })
    else found.push({ tenant_id, problem: begun.error })
  }
  return [...found, ...(await otherwiseGrown(writer, growing))]
}

async function storedEdges(
  writer: Writer,
  logs: readonly UnsignedLog[],
  last: ReadonlyMap<string, SignedLog>,
): Promise<ReadonlyMap<string, LogNode[]>> {
  const refs = new Map(
    logs.flatMap(({ tenant_id, size }) =>
      [size, last.get(tenant_id)?.size ?? 0]
        .flatMap(nodesForRoot)
        .map(ref => [`${tenant_id}/${ref.level}/${ref.index}`, { tenant_id, ...ref }]),
    ),
  )
  const edges = new Map<string, LogNode[]>()
  for (const node of await readNodes(writer, [...refs.values()])) {
    const edge = edges.get(node.tenant_id)
    if (edge) edge.push(node)
    else edges.set(node.tenant_id, [node])
  }
  return edges
}

function begin(
  log: UnsignedLog,
  last: SignedLog | undefined,
  nodes: readonly LogNode[],
): Result<GrowingTree, string> {
  if (!last) return refused('its last checkpoint is not there, or no key of the service signed it')
  if (log.size < last.size) return refused(`it was signed with ${last.size} entries and has ${log.size}`)
  const there = new Set(nodes.map(({ level, index }) => `${level}/${index}`))
  const isWhole = (size: number): boolean =>
    nodesForRoot(size).every(({ level, index }) => there.has(`${level}/${index}`))
  if (!isWhole(last.size)) return refused(`some of its first ${last.size} entries are missing`)
  const hashOf = hashAmong(log.tenant_id, nodes)
  const tree = growTree(
    last.size,
    nodesForRoot(last.size).map(ref => Buffer.from(hashOf(ref))),
  )
  if (!tree.root().equals(last.root))
    return refused(`its first ${last.size} entries are not those that were signed`)
  if (!isWhole(log.size) || !rootOf(log.size, hashOf).equals(log.root))
    return refused(`its root is not that of its ${log.size} entries`)
  return ok(tree)
}

interface Growing {
  log: UnsignedLog
  tree: GrowingTree
}

async function otherwiseGrown(writer: Writer, growing: readonly Growing[]): Promise<RolledBackLog[]> {
  const found: RolledBackLog[] = []
  let open = [...growing]
  while (open.length > 0) {
    const ranges = nextRanges(open)
    const leaves = await readEntryLeaves(writer, ranges)
    const next = open.slice(ranges.length)
    for (const [place, range] of ranges.entries()) {
      const one = open[place]
      if (!one) continue
      const problem = grow(one, range, leaves.get(range.tenant_id))
      if (problem !== null) found.push({ tenant_id: range.tenant_id, problem })
      else if (one.tree.size() < one.log.size) next.unshift(one)
    }
    open = next
  }
  return found
}

function nextRanges(open: readonly Growing[]): EntryRange[] {
  const ranges: EntryRange[] = []
  let room = entriesAtOnce
  for (const { log, tree } of open) {
    if (room === 0) break
    const from = tree.size()
    const to = Math.min(log.size, from + room)
    ranges.push({ tenant_id: log.tenant_id, from, to })
    room -= to - from
  }
  return ranges
}

function grow(
  { log, tree }: Growing,
  { from, to }: EntryRange,
  leaves: Buffer = Buffer.alloc(0),
): string | null {
  if (leaves.length !== (to - from) * hashBytes)
    return `of its entries from ${from} to ${to - 1} some are missing, or their events are`
  tree.append(leaves)
  return tree.size() < log.size || tree.root().equals(log.root)
    ? null
    : `its root is not that of the events which its ${log.size} entries name`
}
