import type { Approvals } from '../../../../shared/contract/action/approvals.ts'
import { useSession } from '../session.ts'
import { type SeenQuorum, seenBy } from './quorum.ts'

/** How far the approvals of a held action are, for whoever is signed in; null where one is enough. */
export function useQuorum(approvals: Approvals | undefined): SeenQuorum | null {
  const session = useSession()
  return seenBy('profile' in session ? session.profile.account.account_id : null, approvals)
}
