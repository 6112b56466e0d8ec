import { type OpeningKey, rewrapSecret } from '../../runtime/secrets/sealed-secret.ts'
import {
  countByKey,
  rewrapSecret as rewrapStored,
  type StoredSecret,
  secretsAfter,
} from '../../store/tenant/tenant-secrets.ts'
import type { Context } from '../core/context.ts'

export interface Rewrapped {
  key_id: string
  rewrapped: number
  /** The number of secrets that no key opens; they must be written again. */
  unreadable: number
  by_key: { key_id: string; count: number }[]
}

const secretsAtOnce = 100

/**
 * Wraps the data keys of all stored secrets for the newest key without touching the values. It may run beside the
 * service and be repeated after an interruption, since either key opens each secret.
 */
export async function rewrapSecrets(context: Context, keys: readonly OpeningKey[]): Promise<Rewrapped> {
  const to = keys.at(-1)
  if (!to) throw new Error('there is no key to wrap secrets for')
  let [rewrapped, unreadable] = [0, 0]
  for (let after = { tenant_id: '', name: '' }; ; ) {
    const page = await context.store.look('all', query =>
      secretsAfter(query, { after, other_than: to.id, limit: secretsAtOnce }),
    )
    for (const secret of page) {
      const moved = await rewrapOne(context, keys, secret)
      if (moved === null) unreadable += 1
      else if (moved) rewrapped += 1
    }
    const last = page.at(-1)
    if (!last) break
    after = last
  }
  const by_key = await context.store.look('all', countByKey)
  return { key_id: to.id, rewrapped, unreadable, by_key }
}

/**
 * Returns null if no key opens the secret, and false if it was written again meanwhile, since it is then sealed to
 * the API's current key.
 */
async function rewrapOne(
  context: Context,
  keys: readonly OpeningKey[],
  secret: StoredSecret,
): Promise<boolean | null> {
  const to = keys.at(-1)
  const wrapped = to ? rewrapSecret(keys, to, secret, secret) : null
  if (wrapped === null) return null
  return context.store.change([secret.tenant_id], query => rewrapStored(query, secret, wrapped))
}
