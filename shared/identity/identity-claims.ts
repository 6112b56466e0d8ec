import { isVisible } from '../contract/base/identifier.ts'
import { limits } from '../contract/base/limits.ts'
import { ok, type Result, refused } from '../result.ts'

/** The identity of a person as an issuer asserts it; times are in milliseconds. */
export interface Identity {
  issuer: string
  subject: string
  /** A name for display only. It identifies nobody, since an issuer may give the name to another person later. */
  label: string
  auth_time: number | null
  acr: string | null
  /** The issuer's identifier of its own session; null if the issuer sends none. */
  sid: string | null
  /** The time at which the session must end (claim `session_expiry`); null if the issuer sends none. */
  ends: number | null
  /** The values of the groups claim. The list is empty if the claim is missing or is not a list of texts. */
  groups: readonly string[]
}

export const clockToleranceS = 60

/** Reads a verified ID token. The caller has checked its signature, issuer, audience, nonce and times. */
export function readIdentity(
  claims: Readonly<Record<string, unknown>>,
  {
    acr_values,
    groups_claim,
    now,
  }: { acr_values: readonly string[]; groups_claim: string | null; now: number },
): Result<Identity, string> {
  const { iss: issuer, sub: subject, iat, auth_time: authTime, session_expiry: expiry } = claims
  if (typeof issuer !== 'string' || !isSubject(subject)) return refused('the subject cannot be one')
  const acr = isShort(claims.acr) ? claims.acr : null
  if (acr_values.length > 0 && (acr === null || !acr_values.includes(acr)))
    return refused(`acr is ${acr ?? 'not told'}, and not one of ${acr_values.join(', ')}`)
  const ahead = Object.entries({ iat, auth_time: authTime }).find(([, at]) => isAhead(at, now))
  if (ahead) return refused(`${ahead[0]} is in the future`)
  const auth_time = isSeconds(authTime) ? authTime * 1_000 : null
  const ends = isSeconds(expiry) ? expiry * 1_000 : null
  if (ends !== null && ends <= now) return refused('the session has ended at the issuer')
  const groups = groupsOf(claims, groups_claim)
  const sid = isSubject(claims.sid) ? claims.sid : null
  return ok({ issuer, subject, label: labelOf(claims, subject), auth_time, acr, sid, ends, groups })
}

/** Reads only lists of texts, because a single text could be one group or several in an unknown notation. */
function groupsOf(claims: Readonly<Record<string, unknown>>, name: string | null): readonly string[] {
  const value = name !== null && Object.hasOwn(claims, name) ? claims[name] : []
  const isList = Array.isArray(value) && value.every(each => typeof each === 'string')
  return isList ? value : []
}

/**
 * Returns the verified email address, or else a name without an at sign, or else the subject. A name with an at
 * sign is skipped, because a user could choose the address of another person as a name.
 */
function labelOf(claims: Readonly<Record<string, unknown>>, subject: string): string {
  const { email, email_verified: isVerified, preferred_username: userName, name } = claims
  const names = [userName, name].filter(isShort).filter(told => !/[@\ufe6b\uff20]/u.test(told))
  return isVerified === true && isShort(email) ? email : (names[0] ?? subject)
}

function isShort(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= limits.email_length_max &&
    isVisible(value)
  )
}

/** Accepts at most 255 printable ASCII characters (OpenID Connect Core, section 2). */
export function isSubject(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)
}

function isAhead(at: unknown, now: number): boolean {
  return isSeconds(at) && at * 1_000 > now + clockToleranceS * 1_000
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 253_402_300_800
}
