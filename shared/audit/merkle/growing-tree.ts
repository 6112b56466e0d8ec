import { sha256 } from '../../canon/digest.ts'
import { nodeHash } from './merkle.ts'
import { checkSize, nodesOf } from './tree-nodes.ts'

/** A Merkle tree to which leaves are appended. It stores only its right edge, which has at most 53 hashes. */
export interface GrowingTree {
  size(): number
  append(leaves: Uint8Array): Row[]
  /** Returns the root of all appended leaves. Without leaves it is SHA-256 of the empty string. */
  root(): Buffer
  /**
   * Returns the hashes of the right edge from left to right. The edge and the size suffice to continue the tree.
   */
  edge(): Buffer[]
}

export interface Row {
  level: number
  start: number
  hashes: Buffer
}

/** Continues a tree of `size` leaves from its right edge. Throws a RangeError if edge and size do not match. */
export function growTree(size = 0, edge: readonly Uint8Array[] = []): GrowingTree {
  checkSize(size)
  const refs = nodesOf({ start: 0, end: size })
  if (refs.length !== edge.length || edge.some(({ length }) => length !== hashBytes))
    throw new RangeError(`${edge.length} hashes are no right edge of a tree of ${size} leaves`)
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

/**
 * Pairs subtrees into the next level. A subtree without a right neighbour is stored in `open` until one arrives.
 */
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
