import { type MerkleNode, merkleShape, nodeKey } from './merkle-shape.ts'

/** A node with its coordinates. A `folded` node represents its whole subtree. */
export interface PlacedNode {
  key: string
  node: MerkleNode
  x: number
  y: number
  folded: boolean
  parent: string | null
}

export const gridX = 46
export const gridY = 56
const margin = 26

/** Lays out a tree. Leaves and folded subtrees get a column each, and parents are centred above their children. */
export function layTree(
  size: number,
  isFolded: (node: MerkleNode) => boolean,
): { placed: PlacedNode[]; width: number; height: number } {
  const placed: PlacedNode[] = []
  let column = 0
  let deepest = 0
  const place = (node: MerkleNode, depth: number, parent: string | null): number => {
    const key = nodeKey(node)
    const folded = node.children !== null && isFolded(node)
    deepest = Math.max(deepest, depth)
    const inner = folded ? null : node.children
    const x = inner ? (place(inner[0], depth + 1, key) + place(inner[1], depth + 1, key)) / 2 : column++
    placed.push({ key, node, x: margin + x * gridX, y: margin + depth * gridY, folded, parent })
    return x
  }
  place(merkleShape(size), 0, null)
  return {
    placed,
    width: 2 * margin + Math.max(0, column - 1) * gridX,
    height: 2 * margin + deepest * gridY,
  }
}
