import { nodeHash } from './merkle.ts'

/** The complete subtree over the 2^level leaves that begin at `index`·2^level; level 0 is a leaf. */
export interface NodeRef {
  level: number
  index: number
}

/** A complete subtree with its hash: what a log stores, since it never changes again. */
export interface TreeNode extends NodeRef {
  hash: Buffer
}

/** Gives the 32-byte hash of a complete subtree, from wherever they are kept. */
export type HashOf = (ref: NodeRef) => Uint8Array

/** Leaves from `start` up to `end`, without it: a subtree as RFC 9162 section 2.1 cuts a tree, complete or at its right edge. */
export interface LeafRange {
  start: number
  end: number
}

/**
 * Every complete subtree that appending `leafHashes` to a tree of `oldSize` leaves makes, the leaves among them, in the
 * order in which they become complete. `hashOf` is asked for some of `nodesForRoot(oldSize)` and for nothing else.
 */
export function newNodes(oldSize: number, leafHashes: readonly Uint8Array[], hashOf: HashOf): TreeNode[] {
  checkSize(oldSize + leafHashes.length)
  const made: TreeNode[] = []
  /** The complete subtrees that wait for a right neighbour, by level. */
  const open: (Uint8Array | undefined)[] = []
  leafHashes.forEach((leaf, offset) => {
    let node: TreeNode = { level: 0, index: oldSize + offset, hash: hashOfLeaf(leaf) }
    made.push(node)
    while (node.index % 2 === 1) {
      const left: Uint8Array = open[node.level] ?? hashOf({ level: node.level, index: node.index - 1 })
      open[node.level] = undefined
      node = { level: node.level + 1, index: (node.index - 1) / 2, hash: nodeHash(left, node.hash) }
      made.push(node)
    }
    open[node.level] = node.hash
  })
  return made
}

/** The complete subtrees that a range consists of, from left to right and in falling size. */
export function nodesOf({ start, end }: LeafRange): NodeRef[] {
  const nodes: NodeRef[] = []
  for (let at = start; at < end; ) {
    const { level, width } = largestWithin(end - at)
    nodes.push({ level, index: at / width })
    at += width
  }
  return nodes
}

/** The hash of a range of at least one leaf, from those of its complete subtrees. */
export function hashOfRange(range: LeafRange, hashOf: HashOf): Buffer {
  const hashes = nodesOf(range).map(hashOf)
  return Buffer.from(hashes.reduceRight((right, left) => nodeHash(left, right)))
}

/** Where a range of more than one leaf is cut: after the largest power of two that is less than its leaves. */
export function cutOf({ start, end }: LeafRange): number {
  return start + largestWithin(end - start - 1).width
}

/** A tree has at most 2^53-1 leaves, so that its numbers are exact as doubles. */
export function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0)
    throw new RangeError(`${size} is not the size of a tree: 0 to 2^53-1`)
}

/** The largest power of two that is at most `count`; not by shifts, which know 32 bits only. */
function largestWithin(count: number): { level: number; width: number } {
  let level = 0
  let width = 1
  for (; width * 2 <= count; width *= 2) level += 1
  return { level, width }
}

function hashOfLeaf(leaf: Uint8Array): Buffer {
  if (leaf.length !== 32) throw new RangeError('a leaf hash has 32 bytes')
  return Buffer.from(leaf)
}
