import { createContext, useContext } from 'react'

/** The requests and rights of a person who decides, either with an owner's session or with an approver key. */
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
  /** Requests that subscribe the browser to notices; null if the list covers several applications. */
  push: {
    read: 'read_owned_push' | 'read_push'
    subscribe: 'subscribe_owned_push' | 'subscribe_push'
    unsubscribe: 'unsubscribe_owned_push' | 'unsubscribe_push'
  } | null
  /** Requests that read and decline standing in for absent people; null if the list covers several applications. */
  absence: {
    read: 'read_owned_absences' | 'read_own_absences'
    decline: 'decline_owned_absence' | 'decline_absence'
  } | null
  params: { tenant_id: string } | Record<never, never>
  scope: { tenant_id: string } | { may: 'decide' } | Record<never, never>
  /** Returns an application's name; null if the list covers only one. */
  applicationOf: ((tenantId: string) => string) | null
  /** True if the person can save views, which belong to an account and not to a key. */
  savesViews: boolean
  /** The account or key that approvals are recorded under, and the person who holds it, if known. */
  person: { id: string; holder: string | null } | null
  home: string
  pathOf(actionId: string, tenantId: string): string
  /** Returns the path of an action's full trace; null if there is no such page. */
  tracePathOf: ((actionId: string) => string) | null
  /** Returns the path that starts a grant from an action; null if the person makes no grants. */
  grantPathOf: ((actionId: string) => string) | null
}

const DeskContext = createContext<Desk | null>(null)
export const DeskProvider = DeskContext.Provider

export function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (!desk) throw new Error('approvals are shown outside of a desk')
  return desk
}
