import { ServiceError } from '../../contract/base/errors.ts'
import type { LinkedIdentity } from '../../contract/identity.ts'
import {
  deleteIdentity,
  holdLinks,
  listIdentities,
  type StoredIdentity,
} from '../../store/account/identity-rows.ts'
import type { Context } from '../core/context.ts'
import type { CurrentSession } from './sessions.ts'

/** The identities by which the account of a session is opened. */
export async function linkedIdentities(
  { store }: Context,
  { account }: CurrentSession,
): Promise<LinkedIdentity[]> {
  const linked = await store.look([], query => listIdentities(query, account.account_id))
  return linked.map(({ created_at, ...identity }) => ({ ...identity, created_at: created_at.toISOString() }))
}

/**
 * End a link, with every session that was begun by it; how many ended. The last way into an account stays; of several that go at the same
 * time, one is the last. Throws `identity_not_found`, `last_identity`.
 */
export async function unlinkIdentity(
  { store }: Context,
  { account: { account_id } }: CurrentSession,
  { issuer, subject }: StoredIdentity,
): Promise<number> {
  return store.change([], async query => {
    const { has_password } = await holdLinks(query, account_id)
    const linked = await listIdentities(query, account_id)
    const isLinked = linked.some(identity => identity.issuer === issuer && identity.subject === subject)
    if (!isLinked) throw new ServiceError('identity_not_found')
    if (!has_password && linked.length === 1) throw new ServiceError('last_identity')
    return deleteIdentity(query, { issuer, subject, account_id })
  })
}
