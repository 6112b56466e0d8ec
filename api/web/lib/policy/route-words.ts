import type { HeldRoute } from '../../../../shared/contract/configuration/route-schema.ts'

/** "1 of security and 2 of support-leads missing"; null where every group has given its own. */
export function missingOfRoute({ missing }: HeldRoute): string | null {
  if (missing.length === 0) return null
  const parts = missing.map(({ group, approvals }) => `${approvals} of ${group}`)
  return `${listed(parts)} missing`
}

/** What cannot be given, since nobody is there who could; null where somebody is. */
export function emptyGroups({ groups_without_members: empty }: HeldRoute): string | null {
  if (empty.length === 0) return null
  return `${listed(empty)} ${empty.length === 1 ? 'has' : 'have'} no members: until somebody is in, this cannot be approved.`
}

/** How many of some held actions wait for the person who looks: those whose route names others do not. */
export function waitForYou(held: readonly { route?: HeldRoute | undefined }[]): number {
  return held.filter(({ route }) => route?.names_you !== false).length
}

/** Why somebody outside may not decide. */
export function whyNotYou(name: string): string {
  return `The route ${name} does not name you: only its people approve and reject.`
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}
