import { expire } from '../lifecycle/decide.ts'
import { judgeExpiredLease } from '../lifecycle/execute.ts'
import { countUnsettledJobs, expiredHolds, expiredLeases, takeSweep } from '../store/jobs.ts'
import { logLag } from '../store/log-reads.ts'
import { forgetWorkers } from '../store/workers.ts'
import { type Amendment, amendActions } from './amend-action.ts'
import type { Context } from './context.ts'
import { timing } from './timing.ts'

const batch = 200
/** Workers that were seen before that are forgotten. */
const workersKeptMs = 24 * 3_600_000

/**
 * One pass over what only time brings: leases that ran out are judged and holds that ran out are denied, one process at
 * a time. It reads partial indexes only, so a pass is cheap when nothing is due.
 */
export async function sweep(context: Context): Promise<void> {
  const leader = await context.store.write('all', async writer => {
    if (!(await takeSweep(writer))) return false
    await sweepLeases(context)
    await sweepHolds(context)
    await forgetWorkers(writer, workersKeptMs)
    context.events.jobsCounted(await context.store.read('all', countUnsettledJobs))
    context.events.logMeasured(await context.store.read('all', logLag))
    return true
  })
  context.events.swept(leader ? 'leader' : 'standby')
}

async function sweepLeases(context: Context): Promise<void> {
  const expired = await context.store.read('all', reader => expiredLeases(reader, batch))
  const amended = await amendAll(
    context,
    expired.map(({ action_id }) => ({
      action_id,
      tenant_id: null,
      decide: judgeExpiredLease(timing(context)),
    })),
  )
  for (const answer of amended) if (answer.ok) context.events.leaseExpired(answer.value.action_id)
}

async function sweepHolds(context: Context): Promise<void> {
  const held = await context.store.read('all', reader => expiredHolds(reader, batch))
  const amended = await amendAll(
    context,
    held.map(({ action_id }) => ({ action_id, tenant_id: null, decide: expire() })),
  )
  for (const answer of amended) if (answer.ok) context.events.approvalEnded('expired')
}

async function amendAll(context: Context, amendments: readonly Amendment[]) {
  return amendments.length === 0 ? [] : amendActions(context, amendments)
}
