import { useMemo } from 'react'
import { usePages } from '../../lib/query.tsx'
import { type Filters, queryOf } from './use-history-filters.ts'

/** Actions newest first; the service looks for them, so many at a time. */
export function useHistory(tenantId: string, filters: Filters) {
  const params = { tenant_id: tenantId }
  const query = { limit: '200', ...queryOf(filters) }
  const pages = usePages('search_owned_history', { params, query }, { keep: true })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const read = data?.pages
  const found = useMemo(() => (read ?? []).flatMap(({ actions }) => actions), [read])
  return {
    pages,
    found,
    /** How many were looked at, and how far back that is. */
    searched: (read ?? []).reduce((sum, { looked }) => sum + looked, 0),
    back: read?.at(-1)?.looked_to ?? null,
    more: hasNextPage,
    busy: isFetchingNextPage,
    searchFurther: () => void fetchNextPage(),
  }
}
