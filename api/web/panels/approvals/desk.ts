import { createContext, useContext } from 'react'

/** How and as whom a person decides: with the session of an owner, or with an approver's key. */
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
  /** How a browser is asked to show what waits; null where the list is of several applications. */
  push: {
    read: 'read_owned_push' | 'read_push'
    subscribe: 'subscribe_owned_push' | 'subscribe_push'
    unsubscribe: 'unsubscribe_owned_push' | 'unsubscribe_push'
  } | null
  /** How a person reads and declines to stand in for somebody; null where the list is of several applications. */
  absence: {
    read: 'read_owned_absences' | 'read_own_absences'
    decline: 'decline_owned_absence' | 'decline_absence'
  } | null
  /** What every request names beside the action. */
  params: { tenant_id: string } | Record<never, never>
  /** Which actions are listed: of one application, or of all in which the person may decide. */
  scope: { tenant_id: string } | { may: 'decide' } | Record<never, never>
  /** What an application is called; null where all that is listed belongs to one. */
  applicationOf: ((tenantId: string) => string) | null
  /** Whether views are kept: of an account, not of a key. */
  savesViews: boolean
  /** The account or the key, as approvals are recorded under it; and who stands behind it, where that is known. */
  person: { id: string; holder: string | null } | null
  /** The path of the list. */
  home: string
  pathOf(actionId: string, tenantId: string): string
  /** Where the whole trace of an action is; null where there is no such page. */
  tracePathOf: ((actionId: string) => string) | null
  /** Where a grant is made that begins with an action; null where the person makes none. */
  grantPathOf: ((actionId: string) => string) | null
}

const DeskContext = createContext<Desk | null>(null)
export const DeskProvider = DeskContext.Provider

export function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (!desk) throw new Error('approvals are shown outside of a desk')
  return desk
}
