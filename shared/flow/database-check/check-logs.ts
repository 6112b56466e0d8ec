import { type GrowingTree, growTree } from '../../audit/merkle/growing-tree.ts'
import { logOrigin } from '../../audit/note/checkpoint.ts'
import type { TrustedKey } from '../../audit/note/trusted-keys.ts'
import { inSnapshot } from '../../store/log/audit-walk.ts'
import {
  type LogPage,
  type NodeRange,
  readLogOf,
  readLogPage,
  readNextLog,
  readNodeRanges,
  readOrphans,
  readOutboxPage,
  type WalkedLog,
} from '../../store/log/audit-walk-log.ts'
import type { Store } from '../../store/postgres/open.ts'
import { type Counters, differs, isUnproven } from './check-counters.ts'
import { noteProblem, readNote } from './check-note.ts'

const hashBytes = 32

export interface LogsCursor {
  after: string
  at: LogCursor | null
}

interface LogCursor {
  tenant_id: string
  log_id: string
  /** The entries of the log when its check began; later ones are left to the next check. */
  size: number
  root: string
  index: number
  edge: string[]
  /** The index where this walk ends: the size at its beginning, or a newer checkpoint that covers that size. */
  end: number
  /** The entries below the largest checkpoint so far that a trusted key vouches for or the auditor kept. */
  covered: number
}

export interface KeptCheckpoint {
  tenant_id: string
  size: number
  root: Buffer
}

export interface LogWalk {
  store: Store
  trusted: readonly TrustedKey[]
  kept: readonly KeptCheckpoint[]
  tally: Counters
  rowsAtOnce: number
}

/**
 * Checks one page of the logs: each entry has an event, the stored subtrees match the events' leaves, and every
 * checkpoint has the computed root. Returns the next cursor, or null at the end.
 */
export async function checkLogPage(walk: LogWalk, cursor: LogsCursor): Promise<LogsCursor | null> {
  if (cursor.at === null) {
    const log = await inSnapshot(walk.store, query => readNextLog(query, cursor.after))
    return log === null ? null : { ...cursor, at: beginLog(walk, log) }
  }
  const at = await checkRange(walk, cursor.at)
  if (at.index < at.end) return { ...cursor, at }
  const further = at.end === at.size ? await furtherEnd(walk, at) : at.end
  if (further > at.end) return { ...cursor, at: { ...at, end: further } }
  if (at.covered < at.size)
    isUnproven(walk.tally, 'log entries under no checkpoint of a given key', nameOf(at), at.size - at.covered)
  walk.tally.counted.logs += 1
  return { after: at.tenant_id, at: null }
}

function beginLog({ tally, kept }: LogWalk, log: WalkedLog): LogCursor {
  const { tenant_id, log_id, size, root, signed_size, checkpoint_size } = log
  const problem = (text: string): void => differs(tally, nameOf(log), text)
  if (log.entries_beyond) problem(`it has entries beyond its size of ${size}`)
  if (log.nodes_beyond) problem(`it has subtrees beyond its size of ${size}`)
  if (checkpoint_size > size)
    problem(`a checkpoint of ${checkpoint_size} entries is stored, and it has ${size}`)
  else if (checkpoint_size !== signed_size)
    problem(
      `it says that ${signed_size} entries are signed, and its last checkpoint is of ${checkpoint_size}`,
    )
  for (const older of kept.filter(one => one.tenant_id === tenant_id && one.size > size))
    problem(
      `the log is shorter than a checkpoint that was kept: that is of ${older.size} entries, and it has ${size}`,
    )
  return { tenant_id, log_id, size, root: root.toString('base64'), index: 0, edge: [], end: size, covered: 0 }
}

/**
 * Extends the walk to a newer signed checkpoint that covers its size, because a busy log grows faster than it is
 * walked.
 */
async function furtherEnd({ store }: LogWalk, { tenant_id, size, covered, end }: LogCursor): Promise<number> {
  if (covered >= size) return end
  const now = await inSnapshot(store, query => readLogOf(query, tenant_id))
  return now !== null && now.signed_size > end ? now.signed_size : end
}

async function checkRange(walk: LogWalk, at: LogCursor): Promise<LogCursor> {
  const { tenant_id, index: from, end } = at
  const to = Math.min(from + walk.rowsAtOnce, end)
  const ranges = completedBetween(from, to)
  const { page, stored } = await inSnapshot(walk.store, async query => ({
    page: await readLogPage(query, { tenant_id, from, to }),
    stored: await readNodeRanges(query, tenant_id, ranges),
  }))
  const leaves = leavesOf(walk, at, { page, to, stored: stored.get(0) })
  const tree = growTree(
    from,
    at.edge.map(hash => Buffer.from(hash, 'base64')),
  )
  const grown = growThrough(walk, { at, page, tree, leaves })
  compareRows(walk, at, { ranges, stored, grown: grown.rows })
  walk.tally.counted.entries += to - from
  if (to === at.size && to === end && !tree.root().equals(Buffer.from(at.root, 'base64')))
    differs(walk.tally, nameOf(at), `its root is not that of its ${at.size} entries`)
  const edge = tree.edge().map(hash => hash.toString('base64'))
  return { ...at, index: to, edge, covered: Math.max(at.covered, grown.covered) }
}

function completedBetween(from: number, to: number): NodeRange[] {
  const ranges: NodeRange[] = []
  for (let level = 0, width = 1; width <= to; level += 1, width *= 2) {
    const range = { level, start: Math.floor(from / width), end: Math.floor(to / width) }
    if (range.end > range.start) ranges.push(range)
  }
  return ranges
}

/** Returns the events' leaves; the log's stored leaves replace missing ones, so that the rest can be compared. */
function leavesOf(
  { tally }: LogWalk,
  at: LogCursor,
  { page, to, stored }: { page: LogPage; to: number; stored: Buffer | undefined },
): Buffer {
  const count = to - at.index
  if (page.count === count && page.eventless === null) return page.leaves
  const missing = page.missing ?? at.index + page.count
  if (page.count !== count) differs(tally, nameOf(at), `entry ${missing} is missing`)
  if (page.eventless !== null)
    differs(tally, nameOf(at), `entry ${page.eventless} is of an event that is not there`)
  const bytes = count * hashBytes
  return stored?.length === bytes ? stored : Buffer.alloc(bytes)
}

interface Grown {
  rows: Map<number, Buffer[]>
  covered: number
}

function growThrough(
  walk: LogWalk,
  { at, page, tree, leaves }: { at: LogCursor; page: LogPage; tree: GrowingTree; leaves: Buffer },
): Grown {
  const from = tree.size()
  const to = from + leaves.length / hashBytes
  const kept = walk.kept.filter(
    ({ tenant_id, size }) => tenant_id === at.tenant_id && size >= from && size <= to,
  )
  const notes = new Map(page.checkpoints.map(({ size, note }) => [size, note]))
  const stops = new Set([...notes.keys(), ...kept.map(({ size }) => size), to])
  const grown: Grown = { rows: new Map(), covered: 0 }
  for (const size of [...stops].sort((one, other) => one - other)) {
    const added = leaves.subarray((tree.size() - from) * hashBytes, (size - from) * hashBytes)
    for (const { level, hashes } of tree.append(added)) {
      const row = grown.rows.get(level)
      if (row === undefined) grown.rows.set(level, [hashes])
      else row.push(hashes)
    }
    const note = notes.get(size)
    if (note !== undefined && isCovered(walk, at, { size, note, root: tree.root() })) grown.covered = size
    for (const older of kept.filter(one => one.size === size))
      if (isKept(walk, at, older, tree.root())) grown.covered = size
  }
  return grown
}

function isCovered(
  { trusted, tally }: LogWalk,
  at: LogCursor,
  { size, note, root }: { size: number; note: string; root: Buffer },
): boolean {
  tally.counted.checkpoints += 1
  const read = readNote(note, trusted)
  const originOf = (name: string): string => logOrigin(name, at.log_id)
  const problem = read.ok ? noteProblem(read.value, { originOf, size, root }) : read.error
  if (!read.ok || problem !== null) {
    differs(tally, nameOf(at), `the checkpoint of ${size} entries: ${problem}`)
    return false
  }
  if (!read.value.proven) isUnproven(tally, 'checkpoints that no given key signed', nameOf(at))
  return read.value.vouched
}

/** Compares the computed root with the auditor's checkpoint, which vouches for all entries before it. */
function isKept(
  { tally }: LogWalk,
  at: LogCursor,
  { size, root: kept }: KeptCheckpoint,
  root: Buffer,
): boolean {
  if (kept.equals(root)) return true
  const [then, now] = [kept, root].map(hash => hash.toString('base64'))
  differs(
    tally,
    nameOf(at),
    `the log was forked: at ${size} entries the checkpoint that was kept has the root ${then}, and the database ${now}`,
  )
  return false
}

function compareRows(
  { tally }: LogWalk,
  at: LogCursor,
  {
    ranges,
    stored,
    grown,
  }: { ranges: NodeRange[]; stored: ReadonlyMap<number, Buffer>; grown: Grown['rows'] },
): void {
  for (const { level, start, end } of ranges) {
    const computed = Buffer.concat(grown.get(level) ?? [])
    const found = stored.get(level) ?? Buffer.alloc(0)
    tally.counted.subtrees += end - start
    if (found.equals(computed)) continue
    if (found.length !== computed.length)
      differs(tally, nameOf(at), `of the subtrees ${level}/${start} to ${level}/${end - 1} some are missing`)
    else differs(tally, nameOf(at), differentNode({ level, start, end }, found, computed))
  }
}

function differentNode({ level, start }: NodeRange, found: Buffer, computed: Buffer): string {
  const place = found.findIndex((byte, at) => byte !== computed[at])
  const index = start + Math.floor(place / hashBytes)
  return level === 0
    ? `entry ${index}: the leaf in the log is not that of its event`
    : `the subtree ${level}/${index} is not the one over its entries`
}

function nameOf({ tenant_id }: { tenant_id: string }): string {
  return `log of ${tenant_id}`
}

const changesAtOnce = 10_000

export interface LeftOversCursor {
  after: number
}

/**
 * Checks that every event is stored that still waits in the outbox of the log, and at the end that deleted tenants
 * have left no rows.
 */
export async function checkLeftOvers(
  { store, tally }: { store: Store; tally: Counters },
  cursor: LeftOversCursor,
): Promise<LeftOversCursor | null> {
  const { last, eventless } = await inSnapshot(store, query =>
    readOutboxPage(query, cursor.after, changesAtOnce),
  )
  for (const { id, stream } of eventless)
    differs(tally, stream, `row ${id} of the outbox is about events that are not there`)
  if (last !== null) return { after: last }
  for (const { table, tenant_id } of await inSnapshot(store, readOrphans))
    differs(tally, table, `there are rows of ${tenant_id}, which is not there`)
  return null
}
