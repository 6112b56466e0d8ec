import { createContext, useContext } from 'react'

/** The requests and rights of a person who decides, either in a session or with an approver key. */
export interface Desk {
  requests: {
    list: 'owned_inbox' | 'inbox'
    groups: 'owned_inbox_groups' | 'inbox_groups'
    read: 'read_owned_action' | 'read_action'
    review: 'read_owned_review' | 'read_review'
    approve: 'approve_owned_action' | 'approve_action'
    reject: 'reject_owned_action' | 'reject_action'
    edit: 'edit_owned_action' | 'edit_action'
    comment: 'comment_owned_action' | 'comment_action'
    decide: 'decide_owned_approvals' | 'decide_approvals'
  }
  /** The requests that subscribe this browser to notices; null if the list covers several applications. */
  push: {
    read: 'read_owned_push' | 'read_push'
    subscribe: 'subscribe_owned_push' | 'subscribe_push'
    unsubscribe: 'unsubscribe_owned_push' | 'unsubscribe_push'
  } | null
  /**
   * The requests that read and decline substitutions for absent people; null if the list covers several
   * applications.
   */
  absence: {
    read: 'read_owned_absences' | 'read_own_absences'
    decline: 'decline_owned_absence' | 'decline_absence'
  } | null
  params: { tenant_id: string } | Record<never, never>
  scope: { tenant_id: string } | { may: 'decide' } | Record<never, never>
  /** Returns the name of an application; null if the list covers only one application. */
  applicationOf: ((tenantId: string) => string) | null
  /** True if the person can save views of the list. Views belong to an account, not to a key. */
  savesViews: boolean
  /** The account or key that an approval is recorded under. `holder` is the person who holds the key, if known. */
  person: { id: string; holder: string | null } | null
  home: string
  pathOf(actionId: string, tenantId: string): string
  /** Returns the path of the page with an action's full trace; null if the desk has no such page. */
  tracePathOf: ((actionId: string) => string) | null
  /** Returns the path of a grant form filled from an action; null if the person may not create grants. */
  grantPathOf: ((actionId: string) => string) | null
}

const DeskContext = createContext<Desk | null>(null)
export const DeskProvider = DeskContext.Provider

export function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (!desk) throw new Error('approvals are shown outside of a desk')
  return desk
}
