import { ScrollArea } from '@base-ui/react/scroll-area'
import { type KeyboardEvent, useMemo, useState } from 'react'
import type { MerkleNode } from '../../lib/trace/merkle-shape.ts'
import { layTree, type PlacedNode } from '../../lib/trace/tree-layout.ts'
import { MerkleInner, MerkleLeaf } from './merkle-nodes.tsx'
import { MerklePath } from './merkle-path.tsx'

const unfoldedMax = 32
const foldedSize = 8

export interface MerkleDrawingProps {
  titles: readonly string[]
  hashes: ReadonlyMap<string, string> | null
  active: number | null
  onActive(leaf: number | null): void
}

/** Draws a Merkle tree with its root on top. Pointing at a leaf highlights its path. Large trees fold subtrees. */
export function MerkleDrawing({ titles, hashes, active, onActive }: MerkleDrawingProps) {
  const size = titles.length
  const [unfolded, setUnfolded] = useState<readonly MerkleNode[]>([])
  const { placed, width, height } = useMemo(
    () =>
      layTree(
        size,
        node => size > unfoldedMax && isSmall(node) && !unfolded.some(above => covers(above, node)),
      ),
    [size, unfolded],
  )
  const lit = litBy(active, placed)
  const leaves = placed.filter(({ node }) => node.children === null)
  const entry = leaves.find(({ node }) => node.from === active) ?? leaves[0]
  return (
    <>
      <ScrollArea.Root>
        <ScrollArea.Viewport role="region" aria-label="Merkle tree" className="pb-2">
          <svg
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            className="mx-auto block overflow-visible"
          >
            <title>Merkle tree of the events</title>
            <Edges placed={placed} lit={lit} />
            {placed.map(each => (
              <Node
                key={each.key}
                placed={each}
                lit={lit}
                titles={titles}
                reachable={each === entry}
                onActive={onActive}
                onUnfold={() => setUnfolded([...unfolded, each.node])}
                last={size - 1}
              />
            ))}
          </svg>
        </ScrollArea.Viewport>
      </ScrollArea.Root>
      <MerklePath active={active} size={size} titles={titles} hashes={hashes} />
    </>
  )
}

interface Lit {
  path: ReadonlySet<string>
  siblings: ReadonlySet<string>
}

function Edges({ placed, lit }: { placed: readonly PlacedNode[]; lit: Lit }) {
  const at = new Map(placed.map(each => [each.key, each]))
  return placed.map(({ key, x, y, parent }) => {
    const above = parent === null ? undefined : at.get(parent)
    if (!above) return null
    const onPath = lit.path.has(key)
    return (
      <line
        key={key}
        x1={above.x}
        y1={above.y}
        x2={x}
        y2={y}
        className={onPath ? 'stroke-accent' : 'stroke-line-strong'}
        strokeWidth={onPath ? 2.5 : 1}
        strokeDasharray={lit.siblings.has(key) ? '4 3' : undefined}
      />
    )
  })
}

interface NodeProps {
  placed: PlacedNode
  lit: Lit
  titles: readonly string[]
  reachable: boolean
  last: number
  onActive(leaf: number | null): void
  onUnfold(): void
}

function Node({ placed, lit, titles, reachable, last, onActive, onUnfold }: NodeProps) {
  const { key, node, x, y, folded } = placed
  const look = lit.path.has(key) ? 'path' : lit.siblings.has(key) ? 'sibling' : 'plain'
  if (node.children !== null)
    return <MerkleInner x={x} y={y} look={look} node={node} folded={folded} onUnfold={onUnfold} />
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowRight: node.from + 1, ArrowLeft: node.from - 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    document.getElementById(`leaf-${to}`)?.focus()
  }
  return (
    <MerkleLeaf
      x={x}
      y={y}
      look={look}
      place={node.from}
      title={titles[node.from] ?? ''}
      reachable={reachable}
      onActive={onActive}
      onKeyDown={move}
    />
  )
}

/** Returns the nodes from a leaf to the root, and the siblings of these nodes, whose hashes prove the leaf. */
function litBy(active: number | null, placed: readonly PlacedNode[]): Lit {
  const over = ({ from, to }: MerkleNode): boolean => active !== null && from <= active && active < to
  const path = new Set(placed.filter(({ node }) => over(node)).map(({ key }) => key))
  const beside = placed.filter(({ key, parent }) => parent !== null && path.has(parent) && !path.has(key))
  return { path, siblings: new Set(beside.map(({ key }) => key)) }
}

function covers(above: MerkleNode, { from, to }: MerkleNode): boolean {
  return above.from <= from && to <= above.to
}

function isSmall({ from, to }: MerkleNode): boolean {
  return to - from <= foldedSize
}
