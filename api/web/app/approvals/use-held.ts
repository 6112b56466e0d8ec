import { useMemo } from 'react'
import type { HeldAction } from '../../../../shared/contract/action/action.ts'
import { usePages } from '../../lib/query.tsx'

const heldMax = 2_000

/** The held actions of an application, newest first, page by page up to a bound; `gone` are left out. */
export function useHeld(tenantId: string, gone: ReadonlySet<string>) {
  const pages = usePages('list_owned_approvals', { params: { tenant_id: tenantId }, query: { limit: '200' } })
  const { data, hasNextPage, isFetching, fetchNextPage } = pages
  const held = useMemo<HeldAction[]>(
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
    /** Whether older ones are left that are not shown. */
    more: hasNextPage,
    full,
    loadMore() {
      if (hasNextPage && !isFetching && !full) void fetchNextPage()
    },
  }
}
