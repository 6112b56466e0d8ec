import { counted } from '../../lib/format.ts'
import { type MerkleNode, merkleShape, nodeKey } from '../../lib/trace/merkle-shape.ts'

export function MerklePath({
  active,
  size,
  titles,
  hashes,
}: {
  active: number | null
  size: number
  titles: readonly string[]
  hashes: ReadonlyMap<string, string> | null
}) {
  if (active === null)
    return <p className="min-h-12 text-sm text-soft">Point at an event to see its way to the root.</p>
  const siblings = siblingsOf(active, merkleShape(size))
  return (
    <div className="min-h-12 text-sm">
      <p>
        <span className="font-medium">
          Event {active}: {titles[active]}.
        </span>{' '}
        {counted(siblings.length, 'hash', 'hashes')} beside its way to the root{' '}
        {siblings.length === 1 ? 'proves' : 'prove'} that it is in the tree.
      </p>
      {hashes && (
        <ul className="mt-1 flex flex-col gap-0.5 font-mono text-xs text-soft">
          {siblings.map(node => (
            <li key={nodeKey(node)} className="break-all">
              {hashes.get(nodeKey(node))}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Returns the siblings on the path from the leaf up to the root. */
function siblingsOf(leaf: number, node: MerkleNode): MerkleNode[] {
  if (node.children === null) return []
  const [left, right] = node.children
  return leaf < left.to ? [...siblingsOf(leaf, left), right] : [...siblingsOf(leaf, right), left]
}
