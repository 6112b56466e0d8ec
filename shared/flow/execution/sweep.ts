import { setTimeout as delay } from 'node:timers/promises'
import { escalate, expire } from '../../lifecycle/decide.ts'
import { judgeExpiredLease } from '../../lifecycle/execute.ts'
import { dueEscalations } from '../../store/action/held-rows.ts'
import { measureBacklog } from '../../store/job/backlog.ts'
import { forgetEnded } from '../../store/job/forgotten-rows.ts'
import { expiredHolds, expiredLeases, keepSweep, takeSweep } from '../../store/job/jobs.ts'
import { insertSample, readQueueCounts, wantsSample } from '../../store/job/queue-rows.ts'
import { countWorkers } from '../../store/job/workers.ts'
import { logLag } from '../../store/log/log-reads.ts'
import type { Writer } from '../../store/postgres/open.ts'
import { measureReplication } from '../../store/postgres/replication.ts'
import { forgetDeliveries, measureDeliveries } from '../../store/webhook/due-deliveries.ts'
import { type ActionChange, type CommittedChange, changeActions } from '../core/change-action.ts'
import { overdueMs, timing, workerAliveMs } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { countNumbers } from './count-numbers.ts'

/** A sweeping transaction runs a query four times within its idle limit. */
const idleShare = 4
const batch = 500
/**
 * Batches of leases, holds and escalations per sweep, each committed alone; with one batch per sweep, many that
 * end together would take minutes.
 */
const batchesMax = 200
const deliveriesBatch = 500
/** Batches of deliveries per sweep, each committed alone. */
const deliveriesBatches = 20
/** Milliseconds for which messages are kept, whatever their outcome. */
const deliveriesKeptMs = 30 * 24 * 3_600_000

/**
 * Judges leases that ran out and denies holds that ran out, in one process at a time. A pass is cheap when nothing
 * is due, because it reads only partial indexes.
 */
export async function sweep(context: Context): Promise<void> {
  const leader = await context.store.write('all', async writer => {
    if (!(await takeSweep(writer))) return false
    await keepingSweep(writer, context.config.statement_ms_max / idleShare, () => pass(context))
    return true
  })
  context.events.swept(leader ? 'leader' : 'standby')
}

/**
 * Queries regularly during a pass, because the server ends a transaction that is idle for the statement limit; so
 * a sleeping sweeper blocks nobody, and an active one keeps its lock.
 */
async function keepingSweep(writer: Writer, everyMs: number, work: () => Promise<void>): Promise<void> {
  const working = work()
  const ended = working.then(
    () => true,
    () => true,
  )
  const hasEnded = () => Promise.race([ended, delay(everyMs, false, { ref: false })])
  try {
    while (!(await hasEnded())) await keepSweep(writer)
  } finally {
    await working
  }
}

async function pass(context: Context): Promise<void> {
  const { store } = context
  await sweepEnded(context)
  await store.write('all', async writer => forgetEnded(writer))
  await forgetMessages(context)
  await measure(context)
  await store.write('all', writer => sampleQueue(context, writer))
  await countNumbers(context)
}

/** Alternates between leases, holds and escalations, so that many of one kind do not delay the others. */
async function sweepEnded(context: Context): Promise<void> {
  let more = true
  for (let swept = 0; more && swept < batchesMax; swept += 1) {
    const leases = await sweepLeases(context)
    const holds = await sweepHolds(context)
    const escalations = await sweepEscalations(context)
    more = leases || holds || escalations
  }
}

/**
 * Judges leases that ran out on every worker beside the sweep, so that a dead worker's jobs are taken over within
 * its lease and half a sweep interval. Two workers that find the same lease wait for its row, and the second finds
 * it judged.
 */
export async function judgeLeases(context: Context): Promise<void> {
  while (await sweepLeases(context));
}

/**
 * Returns true if more may have ended. A full batch in which nothing changed counts as the end and waits for the
 * next pass, since the loop would otherwise never stop.
 */
async function sweepLeases(context: Context): Promise<boolean> {
  const expired = await context.store.read('all', reader => expiredLeases(reader, batch))
  const decide = judgeExpiredLease(timing(context))
  const changed = await changeAll(context, expired, decide)
  for (const { action_id } of changed) context.events.leaseExpired(action_id)
  return expired.length === batch && changed.length > 0
}

async function sweepHolds(context: Context): Promise<boolean> {
  const held = await context.store.read('all', reader => expiredHolds(reader, batch))
  const changed = await changeAll(context, held, expire())
  for (const { age_ms } of changed) context.events.approvalEnded('expired', age_ms)
  return held.length === batch && changed.length > 0
}

/**
 * Asks the escalation groups for help, once per action, because the event clears the due time of the escalation.
 */
async function sweepEscalations(context: Context): Promise<boolean> {
  const due = await context.store.read('all', reader => dueEscalations(reader, batch))
  const changed = await changeAll(context, due, escalate())
  for (const { action_id } of changed) context.events.escalated(action_id)
  return due.length === batch && changed.length > 0
}

async function forgetMessages({ store }: Context): Promise<void> {
  let more = true
  for (let forgotten = 0; more && forgotten < deliveriesBatches; forgotten += 1) {
    more = await store.write('all', writer => forgetDeliveries(writer, deliveriesKeptMs, deliveriesBatch))
  }
}

async function measure(context: Context): Promise<void> {
  const backlog = await context.store.read('all', reader => measureBacklog(reader, workerAliveMs(context)))
  const messages = await context.store.read('all', measureDeliveries)
  const logs = await context.store.read('all', logLag)
  context.events.measured(backlog, logs, messages, await context.store.read('all', measureReplication))
}

/** Samples the queue once a minute for the operator's console. */
async function sampleQueue(context: Context, writer: Writer): Promise<void> {
  if (!(await wantsSample(writer))) return
  const { jobs, approvals } = await context.store.read('all', reader =>
    readQueueCounts(reader, overdueMs(context)),
  )
  const workers = await context.store.read('all', reader => countWorkers(reader, workerAliveMs(context)))
  const { due, later, leased, unknown, needs_operator } = jobs
  const open = { due, later, leased, unknown: unknown + needs_operator }
  await insertSample(writer, { ...open, held: approvals.held, workers })
}

async function changeAll(
  context: Context,
  actions: readonly { action_id: string }[],
  decide: ActionChange['decide'],
): Promise<CommittedChange[]> {
  if (actions.length === 0) return []
  const changes = actions.map(({ action_id }) => ({ action_id, tenant_id: null, decide }))
  return (await changeActions(context, changes)).flatMap(answer => (answer.ok ? [answer.value] : []))
}
