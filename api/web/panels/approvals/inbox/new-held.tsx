import { useEffect, useRef, useState } from 'react'
import type { InboxAction } from '../../../../../shared/contract/action/inbox-schema.ts'
import { counted } from '../../../lib/format.ts'
import { ForeignText } from '../../../ui/text.tsx'

export interface NewHeldProps {
  held: readonly InboxAction[] | undefined
}

/** Announces actions that arrive after the page was opened, for people who cannot see the list. */
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
  action: InboxAction
  others: number
  listed: number
}

function newestOf(held: readonly InboxAction[]): InboxAction | undefined {
  return held.reduce<InboxAction | undefined>(
    (newest, action) => (newest && newest.action_id > action.action_id ? newest : action),
    undefined,
  )
}

/**
 * Returns the newest action if its id is newer than all seen ids. Ids increase with time, so that a late read of
 * an old action is not announced.
 */
function useNews(held: readonly InboxAction[] | undefined): News | null {
  const seen = useRef<string | null>(null)
  const [news, setNews] = useState<News | null>(null)
  useEffect(() => {
    if (!held) return
    const before = seen.current
    const newest = newestOf(held)
    seen.current = newest && newest.action_id > (before ?? '') ? newest.action_id : (before ?? '')
    if (before === null || !newest || newest.action_id <= before) return
    const { action_id } = newest
    const come = held.filter(({ action_id }) => action_id > before)
    setNews({ action_id, action: newest, others: come.length - 1, listed: held.length })
  }, [held])
  return news
}
