import type { Context } from '../shared/flow/core/context.ts'
import { findLostLogs } from '../shared/flow/log/find-missing-logs.ts'
import { admitKeys, tellEveryLog } from '../shared/flow/log/report-keys.ts'
import { sequenceLog } from '../shared/flow/log/sequence-log.ts'
import { signLog } from '../shared/flow/log/sign-log.ts'
import { signReports } from '../shared/flow/log/sign-reports.ts'
import { readWitness, witnessLogs } from '../shared/flow/log/witness-logs.ts'
import type { Signing } from '../shared/runtime/secrets/service-keys.ts'

export interface LogKeeper {
  /** Integrate and sign until nothing waits, or it is stopped. Without keys nothing is signed. */
  keep(): Promise<void>
  /** Send checkpoints to the witness, where there is one. */
  witness(): Promise<void>
  /** Tell the logs of all tenants of the keys; does nothing once that is done. */
  tell(): Promise<void>
  /** Compare what was signed with the database. */
  compare(): Promise<void>
  /** What is under way is the last. */
  stop(): void
}

/** Keeps the logs of tenants (specification.md#audit-log, specification.md#audit-in-postgres); `onGrown` is told whose have grown, and returns at once. */
export async function openLogKeeper(
  context: Context,
  signing: Signing | null,
  onGrown: (tenantIds: readonly string[]) => void = () => undefined,
): Promise<LogKeeper> {
  const witness = readWitness(context.config)
  if (signing) await admitKeys(context, signing.keys)
  /** Tenants whose logs do not continue what was signed. */
  const refused = new Set<string>()
  /** Tenants whose logs are not whole. */
  const damaged = new Set<string>()
  /** Ids of logs that were found shorter, otherwise or gone. */
  const lost = new Set<string>()
  let stopped = false
  let told = signing === null
  return {
    async keep() {
      for (let more = true; more && !stopped; ) {
        const sequenced = await sequenceLog(context, damaged)
        more = sequenced.more
        if (sequenced.grown.length > 0) onGrown(sequenced.grown)
        if (!signing) continue
        more = (await signLog(context, signing, refused)) || more
        more = (await signReports(context, signing)) || more
      }
    },
    async witness() {
      for (let more = witness !== null; more && witness && !stopped; )
        more = await witnessLogs(context, witness)
    },
    async tell() {
      if (told) return
      await tellEveryLog(context, () => stopped)
      told = true
    },
    async compare() {
      if (signing) await findLostLogs(context, signing.signed, { refused, lost, isStopped: () => stopped })
    },
    stop() {
      stopped = true
    },
  }
}
