import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useRef } from 'react'
import type { InboxAction } from '../../../../../shared/contract/action/inbox-schema.ts'
import { counted } from '../../../lib/format.ts'
import { ForeignText } from '../../../ui/text.tsx'
import { HeldRow } from './held-row.tsx'

const rowHeight = 126
const loadWithin = 30

export interface HeldListProps {
  held: readonly InboxAction[]
  selected: string | undefined
  chosen: ReadonlySet<string>
  /** Null if the person may not decide. */
  onChoose: ((actionId: string) => void) | null
  /** True if the service has more actions than the list shows. `full` is true if the list may not grow further. */
  more: boolean
  full: boolean
  pathOf(actionId: string): string
  onMore(): void
  onEnter(): void
  onMove(step: 1 | -1): void
}

/** Draws only the rows in view. Loads more actions when the last drawn row is within 30 rows of the end. */
export function HeldList(props: HeldListProps) {
  const { held, selected, more, full, onMore, onEnter, onMove } = props
  const scroller = useRef<HTMLDivElement>(null)
  const place = held.findIndex(({ action_id }) => action_id === selected)
  const virtual = useRows(held, scroller, place)
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (more && !full && last >= held.length - loadWithin) onMore()
  }, [more, full, last, held.length, onMore])
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place, { align: 'auto' })
  }, [place, virtual])
  const move = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    onMove(event.key === 'ArrowDown' ? 1 : -1)
  }
  // A click with `detail` 0 comes from the Enter key, because a pointer click has at least 1.
  const open = (event: MouseEvent): void => {
    if (event.detail === 0) onEnter()
  }
  return (
    <div ref={scroller} className="max-h-[calc(100dvh-19rem)] min-h-64 overflow-y-auto overscroll-contain">
      <ul
        aria-label={`${counted(held.length, 'action')} waiting`}
        onKeyDown={move}
        onClick={open}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        <Rows {...props} virtual={virtual} />
      </ul>
      {more && (
        <p role="status" className="p-4 text-sm text-soft">
          {full
            ? `These ${held.length.toLocaleString('en')} end soonest. Others come up as these are decided.`
            : 'Reading more…'}
        </p>
      )}
    </div>
  )
}

type Rows = Virtualizer<HTMLDivElement, Element>

/** Keeps the selected row in the document, so that it keeps the focus when it scrolls out of view. */
function useRows(
  held: readonly InboxAction[],
  scroller: RefObject<HTMLDivElement | null>,
  selected: number,
): Rows {
  return useVirtualizer({
    count: held.length,
    getScrollElement: () => scroller.current,
    getItemKey: index => held[index]?.action_id ?? index,
    estimateSize: () => rowHeight,
    overscan: 8,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const shown = Array.from({ length: to - from + 1 }, (_, place) => from + place)
      const kept = selected >= 0 && selected < count && (selected < from || selected > to)
      return kept ? [...shown, selected].sort((one, other) => one - other) : shown
    },
  })
}

function Rows({ held, selected, chosen, onChoose, virtual, pathOf }: HeldListProps & { virtual: Rows }) {
  return virtual.getVirtualItems().map(({ index, start, key }) => {
    const action = held[index]
    if (!action) return null
    return (
      <li
        key={key}
        aria-setsize={held.length}
        aria-posinset={index + 1}
        className="absolute inset-x-0 top-0 flex border-b border-line"
        style={{ height: rowHeight, transform: `translateY(${start}px)` }}
      >
        {onChoose && (
          <label className="flex shrink-0 cursor-pointer items-center px-2 hover:bg-sunken">
            <span className="sr-only">
              Select, to decide together: <ForeignText text={action.summary} />
            </span>
            <input
              type="checkbox"
              checked={chosen.has(action.action_id)}
              onChange={() => onChoose(action.action_id)}
              className="size-4 accent-(--accent)"
            />
          </label>
        )}
        <HeldRow action={action} to={pathOf(action.action_id)} selected={action.action_id === selected} />
      </li>
    )
  })
}
