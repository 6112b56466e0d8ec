import type { Approvals } from '../../../../shared/contract/action/action-status.ts'
import { type SeenQuorum, seenBy } from '../../lib/policy/quorum.ts'
import { useDesk } from './desk.ts'

export function useQuorum(approvals: Approvals | undefined): SeenQuorum | null {
  return seenBy(useDesk().person, approvals)
}
