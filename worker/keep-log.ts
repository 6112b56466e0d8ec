import type { Context } from '../shared/flow/context.ts'
import { sequenceLog } from '../shared/flow/sequence-log.ts'
import { signLog } from '../shared/flow/sign-log.ts'
import { admitKeys } from '../shared/flow/tell-keys.ts'
import type { Signing } from '../shared/runtime/signing-key.ts'

/** Keeps the logs of tenants: each call integrates and signs until nothing waits. Without keys nothing is signed. */
export async function openLogKeeper(context: Context, signing: Signing | null): Promise<() => Promise<void>> {
  if (signing) await admitKeys(context, signing.keys)
  /** Tenants whose logs do not continue what was signed. */
  const refused = new Set<string>()
  return async () => {
    for (let more = true; more; ) {
      more = await sequenceLog(context, signing !== null)
      if (signing) more = (await signLog(context, signing, refused)) || more
    }
  }
}
