import { useState } from 'react'
import { formatNumber } from '../lib/format.ts'
import { Button } from './button.tsx'

export function useShown<Item>(items: readonly Item[], step: number) {
  const [limit, setLimit] = useState(step)
  return {
    shown: items.slice(0, limit),
    rest: Math.max(0, items.length - limit),
    more: () => setLimit(limit + step),
  }
}

export function ShowMore({ rest, what, more }: { rest: number; what: string; more(): void }) {
  if (rest === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-3 py-2 text-sm text-soft">
      <span>
        {formatNumber(rest)} more {what} not shown
      </span>
      <Button size="small" onClick={more}>
        Show more
      </Button>
    </div>
  )
}
