import type { Context } from '../shared/flow/context.ts'
import { sequenceLog } from '../shared/flow/sequence-log.ts'
import { signLog } from '../shared/flow/sign-log.ts'
import { admitKeys } from '../shared/flow/tell-keys.ts'
import { readWitness, witnessLogs } from '../shared/flow/witness-logs.ts'
import type { Signing } from '../shared/runtime/signing-key.ts'

export interface LogKeeper {
  /** Integrate and sign until nothing waits. Without keys nothing is signed. */
  keep(): Promise<void>
  /** Send checkpoints to the witness, where there is one. */
  witness(): Promise<void>
}

/** Keeps the logs of tenants (audit definitions sections 2 and 6). */
export async function openLogKeeper(context: Context, signing: Signing | null): Promise<LogKeeper> {
  const witness = readWitness(context.config)
  if (signing) await admitKeys(context, signing.keys)
  /** Tenants whose logs do not continue what was signed. */
  const refused = new Set<string>()
  return {
    async keep() {
      for (let more = true; more; ) {
        more = await sequenceLog(context, signing !== null)
        if (signing) more = (await signLog(context, signing, refused)) || more
      }
    },
    async witness() {
      if (witness) await witnessLogs(context, witness)
    },
  }
}
