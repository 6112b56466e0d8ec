import type { LoginRequest } from '../../contract/account.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { hashSecret } from '../../runtime/secrets/secret.ts'
import { findAccount, type StoredAccount } from '../../store/account/account-rows.ts'
import { findDevice } from '../../store/account/session-rows.ts'
import type { Context } from '../core/context.ts'
import {
  addressSubject,
  attemptCredentials,
  type BegunSession,
  beginSession,
  type Visitor,
  withGrants,
} from './begin-session.ts'

/**
 * Begins a session with address and password; a known and an unknown address cost the same hash and look-up, so
 * that the time tells nothing about the address. Attempts are counted before the password is compared and given
 * back on success. A browser that knew the account has its own count, so that strangers cannot lock the owner out;
 * any attempt there that does not open this account also counts for the address, so that a second account of the
 * address buys no attempts. Throws `login_refused`, `rate_limited`.
 */
export async function logIn(
  context: Context,
  { email, password }: LoginRequest,
  visitor: Visitor,
): Promise<BegunSession> {
  const { attempts } = visitor
  const known = await knownAccount(context, email, visitor.device_token)
  const own = `device:${known}`
  const anybody = addressSubject(email)
  const subject = known === null ? anybody : own
  const password_hash = await attemptCredentials(context, { email, password }, visitor, subject)
  const account = await context.store.look([], query => findAccount(query, email, password_hash))
  if (known !== null && account?.account_id !== known) await attempts.spend(anybody)
  if (!account) throw new ServiceError('login_refused')
  await attempts.giveBack(account.account_id === known ? own : anybody)
  return begin(context, account, visitor)
}

async function begin(context: Context, account: StoredAccount, visitor: Visitor): Promise<BegunSession> {
  const begun = await context.store.change([], query =>
    beginSession(context, query, account, { ...visitor, identity: null }),
  )
  return withGrants(context, begun)
}

async function knownAccount(
  context: Context,
  email: string,
  deviceToken: string | null,
): Promise<string | null> {
  if (deviceToken === null) return null
  return context.store.look([], query => findDevice(query, hashSecret(deviceToken), email))
}
