import { sha256 } from '../../canon/digest.ts'
import {
  checkSize,
  cutOf,
  type HashOf,
  hashOfRange,
  type LeafRange,
  type NodeRef,
  nodesOf,
} from './tree-nodes.ts'

/**
 * Returns the proof that the leaf at `index` is in a tree of `size` leaves (RFC 9162 section 2.1.3.1). Throws a
 * RangeError if `index` is outside the tree. `hashOf` needs to know only the nodes of `nodesForInclusion`.
 */
export function inclusionProof(index: number, size: number, hashOf: HashOf): Buffer[] {
  return inclusionRanges(index, size).map(range => hashOfRange(range, hashOf))
}

/**
 * Returns the proof that a tree of `size` leaves continues a tree of `oldSize` leaves (RFC 9162 section 2.1.4.1).
 * The proof is empty if the sizes are equal or the old tree is empty. Throws a RangeError if the old tree is
 * larger.
 */
export function consistencyProof(oldSize: number, size: number, hashOf: HashOf): Buffer[] {
  return consistencyRanges(oldSize, size).map(range => hashOfRange(range, hashOf))
}

export function rootOf(size: number, hashOf: HashOf): Buffer {
  checkSize(size)
  return size === 0 ? sha256('') : hashOfRange({ start: 0, end: size }, hashOf)
}

export function nodesForInclusion(index: number, size: number): NodeRef[] {
  return inclusionRanges(index, size).flatMap(nodesOf)
}

export function nodesForConsistency(oldSize: number, size: number): NodeRef[] {
  return consistencyRanges(oldSize, size).flatMap(nodesOf)
}

export function nodesForRoot(size: number): NodeRef[] {
  checkSize(size)
  return nodesOf({ start: 0, end: size })
}

/**
 * Computes PATH of RFC 9162. Each step down to the leaf adds the half without the leaf; the lowest comes first.
 */
function inclusionRanges(index: number, size: number): LeafRange[] {
  checkSize(size)
  if (!Number.isSafeInteger(index) || index < 0 || index >= size)
    throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`)
  const siblings: LeafRange[] = []
  let range = { start: 0, end: size }
  while (range.end - range.start > 1) {
    const { left, right } = halves(range)
    const inLeft = index < left.end
    siblings.push(inLeft ? right : left)
    range = inLeft ? left : right
  }
  return siblings.reverse()
}

/** Computes SUBPROOF of RFC 9162: the subtrees beside the right edge of the old tree. The lowest comes first. */
function consistencyRanges(oldSize: number, size: number): LeafRange[] {
  checkSize(oldSize)
  checkSize(size)
  if (oldSize > size) throw new RangeError(`a tree of ${size} leaves does not continue one of ${oldSize}`)
  if (oldSize === 0) return []
  const needed: LeafRange[] = []
  let range = { start: 0, end: size }
  while (oldSize < range.end) {
    const { left, right } = halves(range)
    const inLeft = oldSize <= left.end
    needed.push(inLeft ? right : left)
    range = inLeft ? left : right
  }
  const isOldTree = range.start === 0
  return (isOldTree ? needed : [...needed, range]).reverse()
}

function halves(range: LeafRange): { left: LeafRange; right: LeafRange } {
  const cut = cutOf(range)
  return { left: { start: range.start, end: cut }, right: { start: cut, end: range.end } }
}
