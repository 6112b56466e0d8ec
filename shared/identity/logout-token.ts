import { decodeJwt, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { ok, type Result, refused } from '../result.ts'
import { clockToleranceS, isSubject } from './identity-claims.ts'

export interface Departure {
  issuer: string
  subject: string | null
  sid: string | null
  /** The identifier of the token. The caller stores it, because each token may be used only once. */
  jti: string
}

/** Seconds after its issue for which a logout token is valid. */
export const logoutTokenS = 600

const event = 'http://schemas.openid.net/event/backchannel-logout'

/** Public-key algorithms only, because the holder of the client secret could otherwise make tokens. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

interface Recipient {
  issuer: string
  client_id: string
}

/**
 * Returns true if an unverified token claims this issuer and this client. For any other token, the issuer's keys
 * are not fetched.
 */
export function isMeantFor(token: string, { issuer, client_id }: Recipient): boolean {
  try {
    const { iss, aud } = decodeJwt(token)
    return iss === issuer && [aud].flat().includes(client_id)
  } catch {
    return false
  }
}

/**
 * Checks a logout token (OpenID Connect Back-Channel Logout, section 2.6): signature, issuer, audience, times and
 * event. It requires a subject or a session, and refuses an ID token. The caller must store its `jti` and refuse a
 * repeated one.
 */
export async function readLogoutToken(
  token: string,
  { keys, issuer, client_id, now }: Recipient & { keys: JWTVerifyGetKey; now: number },
): Promise<Result<Departure, string>> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: client_id,
    algorithms,
    clockTolerance: clockToleranceS,
    maxTokenAge: logoutTokenS,
    requiredClaims: ['iat', 'exp', 'jti'],
    currentDate: new Date(now),
  })
  const { typ } = protectedHeader
  if (typ !== undefined && typ.toLowerCase() !== 'logout+jwt') return refused(`the token is a ${typ}`)
  if (payload.nonce !== undefined) return refused('the token has a nonce, as an ID token has')
  if (!isEvent(payload.events)) return refused('the token tells of no logout')
  const subject = isSubject(payload.sub) ? payload.sub : null
  const sid = isSubject(payload.sid) ? payload.sid : null
  if (subject === null && sid === null)
    return refused('the token says neither who left nor which session ended')
  return ok({ issuer, subject, sid, jti: payload.jti ?? '' })
}

function isEvent(events: unknown): boolean {
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, event)) return false
  const said = (events as Record<string, unknown>)[event]
  return typeof said === 'object' && said !== null && !Array.isArray(said)
}
