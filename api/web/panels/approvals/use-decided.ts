import { useState } from 'react'
import type { Decision } from './last-decision.tsx'

/** Collects the decisions made on this page, so that decided actions leave the list at once. */
export function useDecided() {
  const [decisions, setDecisions] = useState<readonly Decision[]>([])
  const [dismissed, setDismissed] = useState<Decision>()
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const last = decisions.at(-1)
  return {
    last: last === dismissed ? undefined : last,
    gone,
    add(decision: Decision) {
      setDecisions(before => [...before, decision])
      if (decision.status !== 'pending_approval') setGone(before => new Set([...before, decision.actionId]))
    },
    leave: (ids: readonly string[]) => setGone(before => new Set([...before, ...ids])),
    dismiss: () => setDismissed(last),
  }
}
