import { useMemo, useState } from 'react'
import type { InboxAction } from '../../../../../shared/contract/action/inbox-schema.ts'
import { limits } from '../../../../../shared/contract/base/limits.ts'

/** Selects held actions to decide together. The selection is limited to what one request accepts. */
export function useSelection(held: readonly InboxAction[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const chosen = useMemo(() => held.filter(({ action_id }) => ids.has(action_id)), [held, ids])
  const full = chosen.length >= limits.decisions_per_batch_max
  return {
    ids,
    chosen,
    full,
    toggle(id: string) {
      setIds(before => {
        const next = new Set(before)
        if (!next.delete(id) && !full) next.add(id)
        return next
      })
    },
    all: () =>
      setIds(new Set(held.slice(0, limits.decisions_per_batch_max).map(({ action_id }) => action_id))),
    clear: () => setIds(new Set()),
  }
}
