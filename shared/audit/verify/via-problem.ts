import type { QuorumEvent } from './approval-problems.ts'

/**
 * What is wrong with how somebody decided, or null. Nothing but a decision says that it was made in Slack; it names workspace
 * and user, it is of an account, and no sign-in stands behind it. Who is linked to whom stands in the configuration of the tenant.
 */
export function viaProblem(events: readonly QuorumEvent[]): string | null {
  for (const { place, kind, principal, payload } of events) {
    const via = payload?.via
    if (via === undefined || kind === 'proposal_received') continue
    const subject = `event ${place}: ${kind} by ${principal.id}`
    if (!decisions.has(kind)) return `${subject}, which was not made in Slack`
    if (principal.kind !== 'owner') return `${subject}, in Slack and of no account`
    if (!isOfSlack(via)) return `${subject}, which does not say who it was in Slack`
    if (payload?.identity !== undefined) return `${subject}, in Slack and by a sign-in elsewhere`
  }
  return null
}

const decisions: ReadonlySet<string> = new Set(['approval', 'partial_approval', 'rejection'])

function isOfSlack(via: unknown): boolean {
  if (typeof via !== 'object' || via === null || Array.isArray(via)) return false
  const { kind, team_id, user_id, ...others } = via as Record<string, unknown>
  const isKnown = kind === 'slack' && Object.keys(others).length === 0
  return isKnown && /^T[A-Z0-9]+$/.test(String(team_id)) && /^[UW][A-Z0-9]+$/.test(String(user_id))
}
