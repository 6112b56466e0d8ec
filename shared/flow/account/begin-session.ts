import { hex, sha256 } from '../../canon/digest.ts'
import type { SessionProfile } from '../../contract/account.ts'
import type { SessionIdentity } from '../../contract/identity.ts'
import type { Grants } from '../../contract/role-schema.ts'
import { random32 } from '../../runtime/ids.ts'
import { csrfTokenOf, hashSecret, newToken } from '../../runtime/secrets/secret.ts'
import { keepPepper, readPepper, type StoredAccount } from '../../store/account/account-rows.ts'
import { grantsOf } from '../../store/account/member-rows.ts'
import {
  deleteDevice,
  endSession,
  insertDevice,
  insertSession,
  type SessionOrigin,
} from '../../store/account/session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'

export interface Visitor {
  session_token: string | null
  device_token: string | null
  sign_in_token: string | null
  /** The counter of attempts per subject; `spend` throws `rate_limited` after too many. */
  attempts: { spend(subject: string): Promise<void>; giveBack(subject: string): Promise<void> }
}

export interface NewSession {
  profile: Omit<SessionProfile, keyof Grants>
  session_token: string
  device_token: string
}

/** A begun session, whose tokens go to the browser only as cookies. */
export interface BegunSession {
  profile: SessionProfile
  session_token: string
  device_token: string
}

/** Milliseconds for which a browser is known after its last log-in. */
export const deviceMsMax = 180 * 24 * 3_600_000

export interface SessionStart extends Pick<Visitor, 'session_token' | 'device_token'> {
  identity: SessionOrigin | null
}

/** Begins a session under a new token and ends the browser's previous one. */
export async function beginSession(
  context: Context,
  query: Query,
  account: StoredAccount,
  before: SessionStart,
): Promise<NewSession> {
  const { session_idle_ms: idle_ms, session_ms_max: ms_max } = context.config
  const { identity } = before
  const { account_id, email, created_at, organization } = account
  const session_token = newToken()
  const device_token = newToken()
  if (before.session_token) await endSession(query, hashSecret(before.session_token))
  if (before.device_token) await deleteDevice(query, hashSecret(before.device_token))
  const session_hash = hashSecret(session_token)
  const { expires_at, idle_expires_at } = await insertSession(query, {
    session_hash,
    account_id,
    idle_ms,
    ms_max,
    identity,
  })
  await insertDevice(query, { device_hash: hashSecret(device_token), account_id, ms: deviceMsMax })
  const profile = {
    account: { account_id, email, created_at: created_at.toISOString() },
    organization,
    identity: identity && shownIdentity(identity),
    csrf_token: csrfTokenOf(session_token),
    expires_at: expires_at.toISOString(),
    idle_expires_at: idle_expires_at.toISOString(),
  }
  return { profile, session_token, device_token }
}

export async function withGrants(
  { store }: Context,
  { profile, ...tokens }: NewSession,
): Promise<BegunSession> {
  const grants = await store.look('all', query => grantsOf(query, profile.account.account_id))
  return { profile: { ...profile, ...grants }, ...tokens }
}

export function shownIdentity({ issuer, subject, auth_time, acr }: SessionOrigin): SessionIdentity {
  return { issuer, subject, auth_time: auth_time === null ? null : new Date(auth_time).toISOString(), acr }
}

/** Hashes a password as a counted attempt; a failed hashing gives the attempt back, since nothing was compared. */
export async function attemptCredentials(
  context: Context,
  credentials: { email: string; password: string },
  { attempts }: Pick<Visitor, 'attempts'>,
  subject: string,
): Promise<Buffer> {
  await attempts.spend(subject)
  try {
    return await hashCredentials(context, credentials)
  } catch (error) {
    await attempts.giveBack(subject)
    throw error
  }
}

/** Returns the subject under which attempts at an address are counted, whether or not it has an account. */
export function addressSubject(email: string): string {
  return `address:${hex(sha256(email))}`
}

async function hashCredentials(
  context: Context,
  { email, password }: { email: string; password: string },
): Promise<Buffer> {
  const pepper =
    (await context.store.look([], readPepper)) ??
    (await context.store.change([], query => keepPepper(query, random32())))
  return context.hashPassword({ email, password, pepper })
}
