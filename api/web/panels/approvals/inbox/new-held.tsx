import { useEffect, useRef, useState } from 'react'
import type { HeldAction } from '../../../../../shared/contract/action/action.ts'
import { counted } from '../../../lib/format.ts'
import { ForeignText } from '../../../ui/text.tsx'

export interface NewHeldProps {
  /** In any order; undefined until it was read. */
  held: readonly HeldAction[] | undefined
}

/** Says to those who do not see the list what came into it since the page was opened, each time anew. */
export function NewHeld({ held }: NewHeldProps) {
  const news = useNews(held)
  return (
    <p role="status" className="sr-only">
      {news && (
        <span key={news.action_id}>
          New: <ForeignText text={news.action.operation} /> on{' '}
          <ForeignText text={news.action.target_system} />
          {news.others > 0 && ` and ${counted(news.others, 'other action')}`}. {news.listed} in the list.
        </span>
      )}
    </p>
  )
}

interface News {
  action_id: string
  action: HeldAction['proposal']['action']
  others: number
  listed: number
}

function newestOf(held: readonly HeldAction[]): HeldAction | undefined {
  return held.reduce<HeldAction | undefined>(
    (newest, action) => (newest && newest.action_id > action.action_id ? newest : action),
    undefined,
  )
}

/** Ids of actions go up with time: what is older than what was seen is no news, however late it was read. */
function useNews(held: readonly HeldAction[] | undefined): News | null {
  const seen = useRef<string | null>(null)
  const [news, setNews] = useState<News | null>(null)
  useEffect(() => {
    if (!held) return
    const before = seen.current
    const newest = newestOf(held)
    seen.current = newest && newest.action_id > (before ?? '') ? newest.action_id : (before ?? '')
    if (before === null || !newest || newest.action_id <= before) return
    const { action_id, proposal } = newest
    const come = held.filter(({ action_id }) => action_id > before)
    setNews({ action_id, action: proposal.action, others: come.length - 1, listed: held.length })
  }, [held])
  return news
}
