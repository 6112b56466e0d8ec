import { setTimeout as delay } from 'node:timers/promises'
import { expire } from '../lifecycle/decide.ts'
import { judgeExpiredLease } from '../lifecycle/execute.ts'
import { measureBacklog } from '../store/backlog.ts'
import { forgetDeliveries, measureDeliveries } from '../store/due-deliveries.ts'
import { expiredHolds, expiredLeases, keepSweep, takeSweep } from '../store/jobs.ts'
import { forgetPlaces } from '../store/kept-places.ts'
import { logLag } from '../store/log-reads.ts'
import type { Writer } from '../store/open.ts'
import { readQueueCounts } from '../store/queue.ts'
import { insertSample, wantsSample } from '../store/queue-samples.ts'
import { forgetSessions } from '../store/sessions.ts'
import { countWorkers, forgetWorkers } from '../store/workers.ts'
import { type Amendment, amendActions } from './amend-action.ts'
import type { Context } from './context.ts'
import { overdueMs } from './overdue.ts'
import { timing } from './timing.ts'
import { workerAliveMs } from './worker-alive.ts'

/** So often within the time after which a transaction that asks for nothing is ended. */
const idleShare = 4
const batch = 200
const sessionsBatch = 1_000
/** Workers that were seen before that are forgotten. */
const workersKeptMs = 24 * 3_600_000
const deliveriesBatch = 500
/** In one sweep, each committed by itself. */
const deliveriesBatches = 20
/** Messages that were made before that are forgotten, whatever came of them. */
const deliveriesKeptMs = 30 * 24 * 3_600_000

/**
 * One pass over what only time brings: leases that ran out are judged and holds that ran out are denied, one process at
 * a time. It reads partial indexes only, so a pass is cheap when nothing is due.
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
 * The server ends a transaction that asks for nothing as long as a statement may take, so that a sweeper that sleeps keeps
 * nobody out. One that is awake asks for something meanwhile, however long its pass takes.
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
  await sweepLeases(context)
  await sweepHolds(context)
  await store.write('all', forgetPlaces)
  await store.write('all', writer => forgetWorkers(writer, workersKeptMs))
  await store.change([], query => forgetSessions(query, sessionsBatch))
  await forgetMessages(context)
  await measure(context)
  await store.write('all', writer => sampleQueue(context, writer))
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
  for (const answer of amended) if (answer.ok) context.events.approvalEnded('expired', answer.value.age_ms)
}

async function forgetMessages({ store }: Context): Promise<void> {
  let more = true
  for (let forgotten = 0; more && forgotten < deliveriesBatches; forgotten += 1) {
    more = await store.write('all', writer => forgetDeliveries(writer, deliveriesKeptMs, deliveriesBatch))
  }
}

/** What waits, for whoever watches the service: at a bounded cost, whatever waits. */
async function measure(context: Context): Promise<void> {
  const backlog = await context.store.read('all', reader => measureBacklog(reader, workerAliveMs(context)))
  const messages = await context.store.read('all', measureDeliveries)
  context.events.measured(backlog, await context.store.read('all', logLag), messages)
}

/** Once a minute what the queue is, for the operator's console. */
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

async function amendAll(context: Context, amendments: readonly Amendment[]) {
  return amendments.length === 0 ? [] : amendActions(context, amendments)
}
