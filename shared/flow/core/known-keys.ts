import { createBoundedMap } from '../../runtime/bounded-map.ts'
import type { PresentedKey } from '../../store/tenant/api-keys.ts'
import { type Context, perContext } from './context.ts'

const knownKeysMax = 10_000

/** Keys that were good when they were looked up last. */
export const knownKeysOf = perContext(() => createBoundedMap<PresentedKey>(knownKeysMax))

/** Who holds a key: that never changes, so a known key is not looked up again. Null where nobody recorded it. */
export async function keyHolder(context: Context, keyId: string): Promise<string | null> {
  const key = knownKeysOf(context).get(keyId) ?? (await context.findKey(keyId)).key
  return key?.holder ?? null
}
