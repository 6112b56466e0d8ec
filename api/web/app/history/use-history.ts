import { useMemo } from 'react'
import { usePages } from '../../lib/query.tsx'
import { type Filters, queryOf } from './use-history-filters.ts'

const pollMs = 5_000

/**
 * Returns actions, newest first, in pages of 200. Polls every 5 s and does not follow events, because a search
 * costs the service more than a list.
 */
export function useHistory(tenantId: string, filters: Filters) {
  const params = { tenant_id: tenantId }
  const query = { limit: '200', ...queryOf(filters) }
  const pages = usePages('search_owned_history', { params, query }, { keep: true, every: pollMs })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const read = data?.pages
  const found = useMemo(() => (read ?? []).flatMap(({ actions }) => actions), [read])
  return {
    pages,
    found,
    /** The number of searched actions. `back` is the time of the oldest one. */
    searched: (read ?? []).reduce((sum, { looked }) => sum + looked, 0),
    back: read?.at(-1)?.looked_to ?? null,
    more: hasNextPage,
    busy: isFetchingNextPage,
    searchFurther: () => void fetchNextPage(),
  }
}
