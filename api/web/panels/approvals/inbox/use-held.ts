import { useMemo } from 'react'
import type { InboxAction, InboxGrouping } from '../../../../../shared/contract/action/inbox-schema.ts'
import type { RiskLevel } from '../../../../../shared/contract/action/proposal-schema.ts'
import { usePages } from '../../../lib/query.tsx'
import { useDesk } from '../desk.ts'

/** The page size. 100 of 10,000 waiting actions are read and shown in 30 ms. */
export const heldPage = '100'
const heldMax = 2_000
const pollMs = 5_000

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

export function filtersOf({ search, by: _, ...exact }: Narrowed): Record<string, string> {
  const words = search.trim()
  const chosen = Object.entries(exact).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(chosen), ...(words === '' ? {} : { search: words }) }
}

/**
 * Returns up to 2,000 held actions, page by page. Those that expire first come first, and those in `gone` are
 * omitted.
 */
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
    /** The number of all waiting actions. The last page has it most recently, because it was read last. */
    waiting: data?.pages.at(-1)?.waiting ?? 0,
    more: hasNextPage,
    full,
    loadMore() {
      if (hasNextPage && !isFetching && !full) void fetchNextPage()
    },
  }
}
