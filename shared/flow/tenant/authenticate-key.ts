import type { KeyPrincipal, OwnerPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { EndpointName } from '../../contract/endpoints/endpoints.ts'
import { isAdminScope } from '../../contract/role-schema.ts'
import { random32 } from '../../runtime/ids.ts'
import { readKey, sameHash } from '../../runtime/secrets/secret.ts'
import type { PresentedKey } from '../../store/tenant/api-keys.ts'
import { areKeysBeside, type Context, knownKeysOf } from '../core/context.ts'

export interface Authenticated {
  principal: KeyPrincipal
  now: string
}

/**
 * Requests whose own statement checks the key (`keyIsGood` and `holdKeys` of the store), which saves a look-up.
 * Every other request looks its key up first.
 */
const checkedWithTheWork: ReadonlySet<EndpointName> = new Set<EndpointName>([
  'submit_action',
  'read_action',
  'approve_action',
  'reject_action',
])

/** A hash to compare if no key was found, so that an unknown key takes as long as a wrong secret. */
const nobodysHash = random32()

/**
 * Authenticates a key (specification.md#identifiers-keys-and-time) against the database each time, so that a
 * revocation counts from the next request on every process. Unknown, malformed and wrong keys share one error
 * code.
 */
export async function authenticateKey(
  context: Context,
  presented: string,
  work: EndpointName | null,
): Promise<Authenticated> {
  const read = readKey(presented)
  if (!read) throw new ServiceError('invalid_key')
  const knownKeys = knownKeysOf(context)
  const known = isChecked(context, work) ? knownKeys.get(read.keyId) : undefined
  const time = known && context.databaseClock.now()
  if (known && time && sameHash(known.secret_hash, read.secretHash)) {
    return { principal: principalOf(known), now: time }
  }
  const { key, now } = await context.findKey(read.keyId)
  const same = sameHash(key?.secret_hash ?? nobodysHash, read.secretHash)
  const good = unlessEnded(same ? key : undefined)
  knownKeys.put(good.key_id, good)
  return { principal: principalOf(good), now }
}

/** Rejects, as `authenticateKey` does, if the key has ended since. */
export async function confirmKey(context: Context, keyId: string): Promise<void> {
  knownKeysOf(context).forget(keyId)
  const { key } = await context.findKey(keyId)
  unlessEnded(key)
}

export async function refuseEndedKey(
  context: Context,
  keyId: string,
  work: EndpointName | null,
): Promise<void> {
  if (isChecked(context, work)) await confirmKey(context, keyId)
}

/**
 * Returns the key that a statement can check; an operator's key is null, since the scope of a tenant does not see
 * it.
 */
export function checkedKeyOf(reader: KeyPrincipal | OwnerPrincipal): string | null {
  return 'key_id' in reader && !isAdminScope(reader.scope) ? reader.key_id : null
}

/** Only the database that holds the keys can check one in its statement. */
function isChecked(context: Context, work: EndpointName | null): boolean {
  return work !== null && checkedWithTheWork.has(work) && areKeysBeside(context)
}

function principalOf({ key_id, name, scope, tenant_id }: PresentedKey): KeyPrincipal {
  return { key_id, name, scope, tenant_id }
}

function unlessEnded(key: PresentedKey | undefined): PresentedKey {
  if (!key) throw new ServiceError('invalid_key')
  if (key.revoked) throw new ServiceError('key_revoked')
  if (key.expired) throw new ServiceError('key_expired')
  return key
}
