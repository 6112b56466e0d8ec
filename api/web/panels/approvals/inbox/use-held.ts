import { useMemo } from 'react'
import type { InboxAction, InboxGrouping } from '../../../../../shared/contract/action/inbox-schema.ts'
import type { RiskLevel } from '../../../../../shared/contract/action/proposal-schema.ts'
import { usePages } from '../../../lib/query.tsx'
import { useDesk } from '../desk.ts'

/** As many as are read and shown in 30 ms, of 10,000 that wait. */
export const heldPage = '100'
const heldMax = 2_000
const pollMs = 5_000

/** What of the held actions is shown, and by what it is grouped. */
export interface Narrowed {
  search: string
  risk: RiskLevel | ''
  operation: string
  agent_id: string
  system: string
  review_route: string
  by: InboxGrouping | ''
}

export const notNarrowed: Narrowed = {
  search: '',
  risk: '',
  operation: '',
  agent_id: '',
  system: '',
  review_route: '',
  by: '',
}

/** The filters of a request: those that were chosen. */
export function filtersOf({ search, by: _, ...exact }: Narrowed): Record<string, string> {
  const words = search.trim()
  const chosen = Object.entries(exact).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(chosen), ...(words === '' ? {} : { search: words }) }
}

/** The held actions, what ends soonest first, page by page up to a bound; `gone` are left out. */
export function useHeld(gone: ReadonlySet<string>, polling: boolean, narrowed: Narrowed) {
  const { requests, scope } = useDesk()
  const query = { limit: heldPage, ...scope, ...filtersOf(narrowed) }
  const every = polling ? pollMs : false
  const pages = usePages(requests.list, { query }, { every, keep: true })
  const { data, hasNextPage, isFetching, fetchNextPage } = pages
  const held = useMemo<InboxAction[]>(
    () =>
      (data?.pages ?? []).flatMap(({ approvals }) =>
        approvals.filter(({ action_id }) => !gone.has(action_id)),
      ),
    [data, gone],
  )
  const full = held.length >= heldMax
  return {
    pages,
    held,
    /** How many wait in all, whatever is shown of them; the last page says it last. */
    waiting: data?.pages.at(-1)?.waiting ?? 0,
    /** Whether later ones are left that are not shown. */
    more: hasNextPage,
    full,
    loadMore() {
      if (hasNextPage && !isFetching && !full) void fetchNextPage()
    },
  }
}
