import type { CompletePasswordResetRequest, OfferedPasswordReset } from '../../contract/account.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import { newName } from '../../runtime/ids.ts'
import { hashSecret, isToken } from '../../runtime/secrets/secret.ts'
import { grantsOf } from '../../store/account/member-rows.ts'
import {
  type AddressAccount,
  accountsOfAddress,
  findReset,
  insertReset,
  replacePassword,
  takeReset,
} from '../../store/account/reset-rows.ts'
import { endAllSessions } from '../../store/account/session-rows.ts'
import { demandMail } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { addressSubject, attemptCredentials, type Visitor } from './begin-session.ts'
import { changeOrganization, recordPasswordReset } from './change-organization.ts'
import { refuseWeak } from './sign-up.ts'

const resetMs = limits.password_reset_minutes * 60_000

/**
 * Records a request for a reset without looking for an account, so that neither answer nor timing reveals one.
 * Throws `mail_not_configured`, `rate_limited`.
 */
export async function requestPasswordReset(
  context: Context,
  email: string,
  { attempts }: Pick<Visitor, 'attempts'>,
): Promise<void> {
  demandMail(context.config)
  await attempts.spend(`reset:${addressSubject(email)}`)
  const reset_id = newName('rst')
  await context.store.change([], query => insertReset(query, { reset_id, email, ms: resetMs }))
  context.doorbell.ring([{ id: reset_id, delayMs: 0, due: 'messages' }])
}

/** Returns the accounts of a reset link. Throws `reset_not_found`. */
export async function readPasswordReset(context: Context, token: string): Promise<OfferedPasswordReset> {
  const { email, expires_at, accounts } = await openReset(context, tokenHash(token))
  return {
    email,
    accounts: accounts.map(({ account_id, organization }) => ({ account_id, organization })),
    expires_at: expires_at.toISOString(),
  }
}

/**
 * Replaces a password and ends the account's sessions and Slack links; returns the number of sessions. It counts
 * as an attempt even with a valid link, since `account_conflict` reveals that a password is right. Throws
 * `reset_not_found`, `account_conflict`.
 */
export async function completePasswordReset(
  context: Context,
  { token, account_id, password }: CompletePasswordResetRequest,
  visitor: Pick<Visitor, 'attempts'>,
): Promise<number> {
  const hash = tokenHash(token)
  const { email, accounts } = await openReset(context, hash)
  const account = accounts.find(each => each.account_id === account_id)
  if (!account) throw new ServiceError('reset_not_found')
  refuseWeak(password, email)
  const password_hash = await attemptCredentials(context, { email, password }, visitor, addressSubject(email))
  return changeOrganization(
    context,
    account.organization_id,
    async (query, tenantIds) => {
      if (!(await takeReset(query, hash))) throw new ServiceError('reset_not_found')
      if (!(await replacePassword(query, { account_id, password_hash })))
        throw new ServiceError('account_conflict')
      const grants = await grantsOf(query, account_id)
      await recordPasswordReset(query, tenantIds, { account_id, name: email, grants })
      return endAllSessions(query, account_id)
    },
    { account_id },
  )
}

interface OpenReset {
  email: string
  expires_at: Date
  accounts: AddressAccount[]
}

async function openReset({ store }: Context, hash: Buffer): Promise<OpenReset> {
  const found = await store.look([], query => findReset(query, hash))
  if (!found) throw new ServiceError('reset_not_found')
  const accounts = await store.read('all', reader => accountsOfAddress(reader, found.email))
  return { ...found, accounts: accounts.filter(account => account.has_password) }
}

function tokenHash(token: string): Buffer {
  if (!isToken(token)) throw new ServiceError('reset_not_found')
  return hashSecret(token)
}
