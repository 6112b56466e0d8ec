import { sha256 } from '../../canon/digest.ts'

/** Returns the leaf hash `SHA-256(0x00 || data)` (RFC 9162 section 2.1.1). A string is hashed as UTF-8. */
export function leafHash(data: string | Uint8Array): Buffer {
  if (typeof data === 'string') return sha256(`\0${data}`)
  return sha256(Buffer.concat([leafPrefix, data]))
}

/**
 * Returns the hash of an inner node, `SHA-256(0x01 || left || right)`. Throws a RangeError unless both are 32
 * bytes.
 */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  if (left.length !== 32 || right.length !== 32) throw new RangeError('a hash in a Merkle tree has 32 bytes')
  nodeBytes.set(left, 1)
  nodeBytes.set(right, 33)
  return sha256(nodeBytes)
}

/**
 * Returns the root over leaf hashes in order (RFC 9162 section 2.1.1). Without leaves it is SHA-256 of the empty
 * string, and for one leaf the leaf itself. An odd last node is not doubled.
 */
export function merkleRoot(leafHashes: readonly Uint8Array[]): Buffer {
  const subtrees: Subtree[] = []
  for (const hash of leafHashes) {
    let last: Subtree = { size: 1, hash }
    for (let left = subtrees.at(-1); left?.size === last.size; left = subtrees.at(-1)) {
      subtrees.pop()
      last = { size: left.size * 2, hash: nodeHash(left.hash, last.hash) }
    }
    subtrees.push(last)
  }
  const last = subtrees.pop()
  if (last === undefined) return sha256('')
  return Buffer.from(subtrees.reduceRight((right, left) => nodeHash(left.hash, right), last.hash))
}

interface Subtree {
  size: number
  hash: Uint8Array
}

const leafPrefix = Uint8Array.of(0)
const nodeBytes = Buffer.alloc(65, 1)
