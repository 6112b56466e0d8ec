import { sha256 } from '../../canon/digest.ts'
import { nodeHash } from './merkle.ts'
import { checkSize, nodesOf } from './tree-nodes.ts'

/** A tree that is recomputed from its first leaf on, of which only the right edge is kept: at most 53 hashes. */
export interface GrowingTree {
  size(): number
  /** Appends leaves, 32 bytes each, and gives the complete subtrees that they make, the leaves among them. */
  append(leaves: Uint8Array): Row[]
  /** Root of what was appended so far; SHA-256 of nothing for nothing. */
  root(): Buffer
  /** The hashes of the right edge, from left to right: with the size all that is needed to go on. */
  edge(): Buffer[]
}

/** Complete subtrees of one level that stand side by side. */
export interface Row {
  level: number
  /** Index of the first. */
  start: number
  /** One after another, 32 bytes each. */
  hashes: Buffer
}

/** Goes on from the right edge of a tree of `size` leaves. Throws a RangeError where it is not that of such a tree. */
export function growTree(size = 0, edge: readonly Uint8Array[] = []): GrowingTree {
  checkSize(size)
  const refs = nodesOf({ start: 0, end: size })
  if (refs.length !== edge.length || edge.some(({ length }) => length !== hashBytes))
    throw new RangeError(`${edge.length} hashes are no right edge of a tree of ${size} leaves`)
  /** By level, where a complete subtree waits for its right neighbour. */
  const open = new Map<number, Buffer>(refs.map(({ level }, at) => [level, Buffer.from(edge[at] ?? [])]))
  let leaves = size

  const edgeOf = (): Buffer[] => [...open].sort(([one], [other]) => other - one).map(([, hash]) => hash)
  return {
    size: () => leaves,
    append(added) {
      if (added.length % hashBytes !== 0) throw new RangeError('a leaf hash has 32 bytes')
      const rows: Row[] = []
      let row: Row = { level: 0, start: leaves, hashes: Buffer.from(added) }
      leaves += added.length / hashBytes
      for (; row.hashes.length > 0; row = parentsOf(row, open)) rows.push(row)
      return rows
    },
    root() {
      const [last, ...before] = edgeOf().reverse()
      if (last === undefined) return sha256('')
      return before.reduce((right, left) => nodeHash(left, right), last)
    },
    edge: edgeOf,
  }
}

/** The subtrees one level above a row; a left neighbour that waited is taken, and one without a right neighbour waits. */
function parentsOf({ level, start, hashes }: Row, open: Map<number, Buffer>): Row {
  const waiting = start % 2 === 1 ? open.get(level) : undefined
  if (waiting !== undefined) open.delete(level)
  const paired = waiting === undefined ? hashes : Buffer.concat([waiting, hashes])
  const count = Math.floor(paired.length / pairBytes)
  const parents = Buffer.allocUnsafe(count * hashBytes)
  for (let at = 0; at < count; at += 1) {
    const from = at * pairBytes
    const left = paired.subarray(from, from + hashBytes)
    parents.set(nodeHash(left, paired.subarray(from + hashBytes, from + pairBytes)), at * hashBytes)
  }
  const rest = paired.subarray(count * pairBytes)
  if (rest.length > 0) open.set(level, Buffer.from(rest))
  return { level: level + 1, start: (start - (waiting === undefined ? 0 : 1)) / 2, hashes: parents }
}

const hashBytes = 32
const pairBytes = 2 * hashBytes
