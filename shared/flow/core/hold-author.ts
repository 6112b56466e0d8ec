import { ServiceError } from '../../contract/base/errors.ts'
import type { MemberRole } from '../../contract/role-schema.ts'
import { holdAuthorKey, holdAuthorOperator, holdAuthorSession } from '../../store/account/author-rows.ts'
import type { Hold, Store, Writer } from '../../store/postgres/open.ts'
import { areKeysBeside, type Context, contextWith } from './context.ts'

/** The credential of a change, with the tenant and roles for which it must still be valid at the commit. */
export type Credential =
  | { key_id: string }
  | { session_hash: Buffer; tenant_id: string | null; roles: readonly MemberRole[] | null }
  | { operator_hash: Buffer }

/**
 * Returns a context whose every writing transaction first holds the credential, so that its end comes either
 * before the change, which is then refused, or after it. It is the first lock of each transaction, held before
 * every other row.
 */
export function underAuthor(context: Context, credential: Credential): Context {
  const home = 'key_id' in credential ? context.keys : context.store
  const hold: Hold = writer => holdCredential(writer, credential)
  // A credential in another database is read just before the transaction.
  const holdElsewhere: Hold = () => home.write('all', hold)
  const under = (store: Store) => store.under(store === home ? hold : holdElsewhere)
  const store = under(context.store)
  return contextWith(context, { store, keys: areKeysBeside(context) ? store : under(context.keys) })
}

async function holdCredential(writer: Writer, credential: Credential): Promise<void> {
  if ('key_id' in credential) return holdKey(writer, credential.key_id)
  if ('operator_hash' in credential) return holdOperator(writer, credential.operator_hash)
  if (!(await holdAuthorSession(writer, credential.session_hash, credential)))
    throw new ServiceError('session_required')
}

async function holdKey(writer: Writer, keyId: string): Promise<void> {
  const key = await holdAuthorKey(writer, keyId)
  if (!key) throw new ServiceError('invalid_key')
  if (key.revoked) throw new ServiceError('key_revoked')
  if (key.expired) throw new ServiceError('key_expired')
}

async function holdOperator(writer: Writer, hash: Buffer): Promise<void> {
  const role = await holdAuthorOperator(writer, hash)
  if (role === null) throw new ServiceError('session_required')
  if (role === 'on_call') throw new ServiceError('wrong_role', 'who is on call reads and changes nothing')
}
