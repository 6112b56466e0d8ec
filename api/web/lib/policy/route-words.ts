import type { HeldRoute } from '../../../../shared/contract/configuration/route-schema.ts'

/** Returns "1 of security and 2 of support-leads missing", or null if no approval is missing. */
export function missingOfRoute({ missing }: HeldRoute): string | null {
  if (missing.length === 0) return null
  const parts = missing.map(({ group, approvals }) => `${approvals} of ${group}`)
  return `${listed(parts)} missing`
}

/**
 * Warns about groups without members, because nobody can approve for them. Returns null if all groups have
 * members.
 */
export function emptyGroups({ groups_without_members: empty }: HeldRoute): string | null {
  if (empty.length === 0) return null
  return `${listed(empty)} ${empty.length === 1 ? 'has' : 'have'} no members: until somebody is in, this cannot be approved.`
}

/** Counts the held actions that this person may decide. A route excludes everybody whom it does not name. */
export function waitForYou(held: readonly { route?: HeldRoute | undefined }[]): number {
  return held.filter(({ route }) => route?.names_you !== false).length
}

export function whyNotYou(name: string): string {
  return `The route ${name} does not name you: only its people approve and reject.`
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}
