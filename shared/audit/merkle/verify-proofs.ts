import { nodeHash } from './merkle.ts'

export interface InclusionClaim {
  index: number
  size: number
  leafHash: Uint8Array
  proof: readonly Uint8Array[]
  root: Uint8Array
}

/**
 * Returns true if the proof leads from the leaf at `index` to the root of a tree of `size` leaves (RFC 9162
 * section 2.1.3.2). Size and root must come from signed bytes, because the proof does not prove the size.
 */
export function verifyInclusion({ index, size, leafHash, proof, root }: InclusionClaim): boolean {
  if (!isNumberOfLeaves(index) || !isNumberOfLeaves(size) || index >= size) return false
  if (![leafHash, root, ...proof].every(isHash)) return false
  const path = new Path(index, size - 1)
  let hash = leafHash
  for (const sibling of proof) {
    if (path.ended) return false
    hash = path.takesLeft() ? nodeHash(sibling, hash) : nodeHash(hash, sibling)
    path.ascend()
  }
  return path.ended && isSame(hash, root)
}

export interface ConsistencyClaim {
  oldSize: number
  size: number
  oldRoot: Uint8Array
  root: Uint8Array
  proof: readonly Uint8Array[]
}

/**
 * Returns true if the tree of `size` leaves begins with the tree of `oldSize` leaves (RFC 9162 section 2.1.4.2).
 * Equal sizes need equal roots and an empty proof. An old size of 0 is refused, because every tree continues the
 * empty tree.
 */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  const { oldSize, size, oldRoot, root, proof } = claim
  if (!isNumberOfLeaves(oldSize) || !isNumberOfLeaves(size)) return false
  if (oldSize === 0 || oldSize > size) return false
  if (![oldRoot, root, ...proof].every(isHash)) return false
  if (oldSize === size) return proof.length === 0 && isSame(oldRoot, root)
  return leadsToBothRoots(claim)
}

function leadsToBothRoots({ oldSize, size, oldRoot, root, proof }: ConsistencyClaim): boolean {
  const path = new Path(oldSize - 1, size - 1)
  path.skipRightEdges()
  const [first, ...rest] = path.atFirst && proof.length > 0 ? [oldRoot, ...proof] : proof
  if (first === undefined) return false
  let old = first
  let hash = first
  for (const sibling of rest) {
    if (path.ended) return false
    const left = path.takesLeft()
    old = left ? nodeHash(sibling, old) : old
    hash = left ? nodeHash(sibling, hash) : nodeHash(hash, sibling)
    path.ascend()
  }
  return path.ended && isSame(old, oldRoot) && isSame(hash, root)
}

/**
 * Walks up the tree from a node. It tracks the index of the node and of the last node on each level. It divides
 * instead of shifting, because shifts are limited to 32 bits.
 */
class Path {
  private at: number
  private last: number

  constructor(at: number, last: number) {
    this.at = at
    this.last = last
  }

  get ended(): boolean {
    return this.last === 0
  }

  get atFirst(): boolean {
    return this.at === 0
  }

  /** Returns true if the next hash of the proof is on the left. Skips levels where the node has no sibling. */
  takesLeft(): boolean {
    if (this.at % 2 === 1) return true
    if (this.at !== this.last) return false
    while (this.at % 2 === 0 && this.at !== 0) this.ascend()
    return true
  }

  skipRightEdges(): void {
    while (this.at % 2 === 1) this.ascend()
  }

  ascend(): void {
    this.at = Math.floor(this.at / 2)
    this.last = Math.floor(this.last / 2)
  }
}

function isNumberOfLeaves(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === 32
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
