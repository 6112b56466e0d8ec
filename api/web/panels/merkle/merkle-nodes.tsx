import type { KeyboardEvent, MouseEvent } from 'react'
import { counted } from '../../lib/format.ts'
import type { MerkleNode } from '../../lib/trace/merkle-shape.ts'
import { classes } from '../../ui/classes.ts'

export type Look = 'path' | 'sibling' | 'plain'

const shapes: Record<Look, string> = {
  path: 'fill-accent stroke-accent',
  sibling: 'fill-accent-wash stroke-accent',
  plain: 'fill-surface stroke-line-strong',
}
const texts: Record<Look, string> = { path: 'fill-accent-ink', sibling: 'fill-ink', plain: 'fill-ink' }

interface Placed {
  x: number
  y: number
  look: Look
}

export interface MerkleLeafProps extends Placed {
  place: number
  title: string
  /** True for the leaf that the Tab key reaches. Arrow keys reach the other leaves. */
  reachable: boolean
  onActive(leaf: number | null): void
  onKeyDown(event: KeyboardEvent): void
}

export function MerkleLeaf({ x, y, look, place, title, reachable, onActive, onKeyDown }: MerkleLeafProps) {
  return (
    <a
      id={`leaf-${place}`}
      href={`#event-${place}`}
      tabIndex={reachable ? 0 : -1}
      aria-label={`Event ${place}: ${title}`}
      onMouseEnter={() => onActive(place)}
      onFocus={() => onActive(place)}
      onKeyDown={onKeyDown}
      className="group outline-none"
    >
      <rect
        x={x - 15}
        y={y - 15}
        width={30}
        height={30}
        rx={7}
        strokeWidth={1.5}
        className={classes(
          shapes[look],
          'group-focus-visible:stroke-ink group-focus-visible:[stroke-width:3]',
        )}
      />
      <Label x={x} y={y} look={look} text={`${place}`} />
    </a>
  )
}

/** Draws an inner node. A folded node represents its subtree, and a click unfolds it. */
export function MerkleInner({
  x,
  y,
  look,
  node,
  folded,
  onUnfold,
}: Placed & { node: MerkleNode; folded: boolean; onUnfold(): void }) {
  const count = node.to - node.from
  if (!folded) return <circle cx={x} cy={y} r={7} strokeWidth={1.5} className={shapes[look]} />
  const unfold = (event: MouseEvent): void => {
    event.preventDefault()
    onUnfold()
  }
  return (
    <a
      href={`#leaf-${node.from}`}
      onClick={unfold}
      aria-label={`Unfold ${counted(count, 'event')}, ${node.from} to ${node.to - 1}`}
      className="group outline-none"
    >
      <rect
        x={x - 20}
        y={y - 14}
        width={40}
        height={28}
        rx={14}
        strokeWidth={1.5}
        className={classes(
          shapes[look],
          'group-focus-visible:stroke-ink group-focus-visible:[stroke-width:3]',
        )}
      />
      <Label x={x} y={y} look={look} text={`${node.from}–${node.to - 1}`} />
    </a>
  )
}

function Label({ x, y, look, text }: Placed & { text: string }) {
  return (
    <text
      x={x}
      y={y}
      textAnchor="middle"
      dominantBaseline="central"
      className={classes('font-mono text-[0.6875rem] font-medium', texts[look])}
    >
      {text}
    </text>
  )
}
