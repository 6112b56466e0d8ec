import type { Context } from '../shared/flow/core/context.ts'
import { findLostLogs } from '../shared/flow/log/find-missing-logs.ts'
import { admitKeys, tellEveryLog } from '../shared/flow/log/report-keys.ts'
import { sequenceLog } from '../shared/flow/log/sequence-log.ts'
import { signLog } from '../shared/flow/log/sign-log.ts'
import { signReports } from '../shared/flow/log/sign-reports.ts'
import { readWitness, witnessLogs } from '../shared/flow/log/witness-logs.ts'
import type { Signing } from '../shared/runtime/secrets/service-keys.ts'

export interface LogKeeper {
  /**
   * Adds waiting events to the logs and signs checkpoints until no event waits or `stop` is called. Without keys
   * it signs nothing.
   */
  keep(): Promise<void>
  witness(): Promise<void>
  tell(): Promise<void>
  /**
   * Compares all signed logs with the database. A log that a restored backup has shortened must not grow again.
   */
  compare(): Promise<void>
  stop(): void
}

/**
 * Maintains the logs of tenants (specification.md#audit-log, specification.md#audit-in-postgres). `onGrown`
 * receives the tenants whose logs have grown.
 */
export async function openLogKeeper(
  context: Context,
  signing: Signing | null,
  onGrown: (tenantIds: readonly string[]) => void = () => undefined,
): Promise<LogKeeper> {
  const witness = readWitness(context.config)
  if (signing) await admitKeys(context, signing.keys)
  const refused = new Set<string>()
  /** Tenants whose stored log is inconsistent. Their logs receive no events, while other logs continue. */
  const damaged = new Set<string>()
  /** Ids of logs that are missing, changed, or shorter than a signed checkpoint says. */
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
