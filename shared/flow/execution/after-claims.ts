import { ServiceError } from '../../contract/base/errors.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { tookTooLong, waitedInVain } from '../../runtime/outage.ts'
import { passClaims } from '../../store/job/claim/tenant-rotation.ts'
import type { Context } from '../core/context.ts'

/** A claim of several statements takes longer than one only where its worker or the database hangs. */
const statementsOfClaim = 2

/**
 * Answer for a change that claims must see, which is committed: once no claim that did not see it can commit any more.
 * It waits after the commit, and not before it: so no claim waits for the change, and a worker that hangs while it claims
 * does not keep the change from being in force. Whoever is told that one hangs may send the same again.
 */
export async function afterClaims<Answer>(
  { store, config }: Context,
  tenantId: string,
  answer: Answer,
): Promise<Answer> {
  const until = monotonicMs() + statementsOfClaim * config.statement_ms_max
  for (;;) {
    try {
      await store.write([tenantId], writer => passClaims(writer, tenantId))
      return answer
    } catch (error) {
      if (!waitedInVain(error) && !tookTooLong(error)) throw error
      if (monotonicMs() >= until) throw new ServiceError('storage_unavailable', stillClaiming)
    }
  }
}

const stillClaiming =
  'the change is in force; a claim from before it has not ended, so a job may still begin: send it again to be told when none can'
