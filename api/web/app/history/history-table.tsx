import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { HistoryRow } from './history-row.tsx'

const rowHeight = 76

export function HistoryTable({ tenantId, actions }: { tenantId: string; actions: readonly ActionSummary[] }) {
  const list = useRef<HTMLUListElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: actions.length,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: offset,
    getItemKey: index => actions[index]?.action_id ?? index,
  })
  return (
    <ul
      ref={list}
      aria-label="Actions, newest first"
      className="relative"
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const action = actions[index]
        if (!action) return null
        return (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-setsize={actions.length}
            aria-posinset={index + 1}
            className="absolute inset-x-0 top-0 border-b border-line"
            style={{ transform: `translateY(${start - offset}px)` }}
          >
            <HistoryRow action={action} to={`/a/${tenantId}/history/${action.action_id}`} />
          </li>
        )
      })}
    </ul>
  )
}
