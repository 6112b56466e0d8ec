import type { Approvals } from '../../../../shared/contract/action/action-status.ts'
import { type SeenQuorum, seenBy } from '../../lib/policy/quorum.ts'
import { useDesk } from './desk.ts'

/** How far the approvals of a held action are, for the person at the desk; null where one is enough. */
export function useQuorum(approvals: Approvals | undefined): SeenQuorum | null {
  return seenBy(useDesk().person, approvals)
}
