import { nodeHash } from './merkle.ts'

/** The complete subtree over the 2^level leaves that begin at `index`·2^level. Level 0 is a leaf. */
export interface NodeRef {
  level: number
  index: number
}

/** A complete subtree with its hash. Logs store such nodes, because a complete subtree never changes. */
export interface TreeNode extends NodeRef {
  hash: Buffer
}

export type HashOf = (ref: NodeRef) => Uint8Array

/**
 * The leaves from `start` up to but not including `end`. They form a subtree of RFC 9162 section 2.1, which is
 * complete or at the right edge.
 */
export interface LeafRange {
  start: number
  end: number
}

/**
 * Returns every subtree that becomes complete when `leafHashes` are appended to a tree of `oldSize` leaves. The
 * leaves are included. `hashOf` needs to know only the nodes of `nodesForRoot(oldSize)`.
 */
export function newNodes(oldSize: number, leafHashes: readonly Uint8Array[], hashOf: HashOf): TreeNode[] {
  checkSize(oldSize + leafHashes.length)
  const made: TreeNode[] = []
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

export function nodesOf({ start, end }: LeafRange): NodeRef[] {
  const nodes: NodeRef[] = []
  for (let at = start; at < end; ) {
    const { level, width } = largestWithin(end - at)
    nodes.push({ level, index: at / width })
    at += width
  }
  return nodes
}

export function hashOfRange(range: LeafRange, hashOf: HashOf): Buffer {
  const hashes = nodesOf(range).map(hashOf)
  return Buffer.from(hashes.reduceRight((right, left) => nodeHash(left, right)))
}

export function cutOf({ start, end }: LeafRange): number {
  return start + largestWithin(end - start - 1).width
}

/** Limits a tree to 2^53-1 leaves, because larger numbers are not exact as doubles. */
export function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0)
    throw new RangeError(`${size} is not the size of a tree: 0 to 2^53-1`)
}

/** Returns the largest power of two up to `count`. It uses no shifts, because shifts are limited to 32 bits. */
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
