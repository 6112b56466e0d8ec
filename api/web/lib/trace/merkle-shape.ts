/** A node of a Merkle tree (RFC 6962). It covers the leaves from `from` up to, but not including, `to`. */
export interface MerkleNode {
  from: number
  to: number
  children: readonly [MerkleNode, MerkleNode] | null
}

/** Builds the tree over `size` leaves (at least 1). The left subtree has the largest power of two below `size`. */
export function merkleShape(size: number, from = 0): MerkleNode {
  if (size <= 1) return { from, to: from + 1, children: null }
  const left = 2 ** Math.ceil(Math.log2(size) - 1)
  return {
    from,
    to: from + size,
    children: [merkleShape(left, from), merkleShape(size - left, from + left)],
  }
}

export function nodeKey({ from, to }: MerkleNode): string {
  return `${from}-${to}`
}

/**
 * Returns the hashes of all nodes in hex, by `nodeKey` (RFC 6962: `SHA-256(0x01 || left || right)`). Returns null
 * outside secure contexts, because browsers offer no hash function there.
 */
export async function merkleHashes(leaves: readonly string[]): Promise<ReadonlyMap<string, string> | null> {
  if (!('subtle' in crypto) || leaves.length === 0) return null
  const hashes = new Map<string, string>()
  await hashNode(merkleShape(leaves.length), leaves, hashes)
  return hashes
}

async function hashNode(
  node: MerkleNode,
  leaves: readonly string[],
  hashes: Map<string, string>,
): Promise<string> {
  const hash = node.children
    ? await hashPair(
        await hashNode(node.children[0], leaves, hashes),
        await hashNode(node.children[1], leaves, hashes),
      )
    : (leaves[node.from] ?? '')
  hashes.set(nodeKey(node), hash)
  return hash
}

async function hashPair(left: string, right: string): Promise<string> {
  const bytes = Uint8Array.from([1, ...fromHex(left), ...fromHex(right)])
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

function fromHex(text: string): number[] {
  return (text.match(/../g) ?? []).map(pair => Number.parseInt(pair, 16))
}
