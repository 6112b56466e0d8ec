import { renewLeases as renewStored } from '../../store/job/jobs.ts'
import type { Context } from '../core/context.ts'
import type { ClaimedJob } from './claim-jobs.ts'

/** Extend the leases of running jobs; the answer holds the tokens of those that are still held. */
export async function renewLeases(
  context: Context,
  jobs: readonly Pick<ClaimedJob, 'action_id' | 'token'>[],
): Promise<ReadonlySet<number>> {
  return context.store.write('all', writer => renewStored(writer, jobs, context.config.lease_ms))
}
