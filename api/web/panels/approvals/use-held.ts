import { useMemo } from 'react'
import type { HeldAction } from '../../../../shared/contract/action/action.ts'
import { usePages } from '../../lib/query.tsx'
import { useDesk } from './desk.ts'

const heldMax = 2_000
const pollMs = 5_000

/** The held actions, newest first, page by page up to a bound; `gone` are left out. */
export function useHeld(gone: ReadonlySet<string>, polling: boolean) {
  const { requests, params, catalogOf } = useDesk()
  const query = { limit: '200' }
  // The list of a key has no parameters.
  const input = (catalogOf === null ? { query } : { params, query }) as { query: { limit: string } }
  const every = polling ? pollMs : false
  const pages = usePages(requests.list, input, { every })
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
