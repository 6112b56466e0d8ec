import type { Approvals } from '../../../../shared/contract/action/action-status.ts'
import { type SeenQuorum, seenBy } from '../../lib/policy/quorum.ts'
import { useDesk } from './desk.ts'

/** Returns the approvals of a held action as the person at the desk sees them; null if one approval is enough. */
export function useQuorum(approvals: Approvals | undefined): SeenQuorum | null {
  return seenBy(useDesk().person, approvals)
}
