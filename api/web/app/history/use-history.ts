import { useMemo } from 'react'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { usePages } from '../../lib/query.tsx'
import type { Filters } from './use-history-filters.ts'

/** Actions newest first. The service filters by status; text and risk are looked for in the pages that were read. */
export function useHistory(tenantId: string, { status, risk, text }: Filters) {
  const pages = usePages('list_owned_actions', {
    params: { tenant_id: tenantId },
    query: { limit: '200', ...(status === '' ? {} : { status }) },
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const read = useMemo(() => (data?.pages ?? []).flatMap(({ actions }) => actions), [data])
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    return read.filter(action => (risk === '' || action.effective_risk === risk) && holds(action, words))
  }, [read, risk, text])
  return {
    pages,
    found,
    /** How many were looked at, and how far back that is. */
    searched: read.length,
    back: read.at(-1)?.created_at ?? null,
    more: hasNextPage,
    busy: isFetchingNextPage,
    searchFurther: () => void fetchNextPage(),
  }
}

/** Ids are long and without meaning: a short word would be found in nearly all of them. */
const idWordMin = 6

/** Every word stands somewhere in it. */
function holds(action: ActionSummary, words: readonly string[]): boolean {
  const { action_id, proposal_id, agent_id, summary, target_system, operation } = action
  const text = [agent_id, summary, target_system, operation].join('\n').toLowerCase()
  const ids = `${action_id}\n${proposal_id}`.toLowerCase()
  return words.every(word => text.includes(word) || (word.length >= idWordMin && ids.includes(word)))
}
