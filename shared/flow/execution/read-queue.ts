import type { jobViews, QueuedJob, QueueSample, QueueSnapshot } from '../../contract/service-state-schema.ts'
import { readDenials } from '../../store/action/denied-in-a-row.ts'
import { listFailed, readFailures } from '../../store/job/failed-jobs.ts'
import {
  readCalls,
  readContradicted,
  readLogHealth,
  readQueueCounts,
  readSamples,
  readWorkers,
} from '../../store/job/queue-rows.ts'
import { type JobPage, listJobs as listStored } from '../../store/job/queued-jobs.ts'
import { readEveryFreeze } from '../../store/tenant/freeze-rows.ts'
import { overdueMs, workerAliveMs } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { freezeView } from './freezes.ts'

const listedMax = 200

/** Reads the queue of the whole deployment at a bounded cost, however long the queue is. */
export async function readQueue(context: Context): Promise<QueueSnapshot> {
  const { store, doorbell } = context
  const overdue_ms = overdueMs(context)
  const [counts, failures, denials, calls, workers, audit_log, contradicted, freezes, depth] =
    await Promise.all([
      store.read('all', reader => readQueueCounts(reader, overdue_ms)),
      store.read('all', readFailures),
      store.read('all', readDenials),
      store.read('all', reader => readCalls(reader, context.config.execution_ms_max)),
      store.read('all', reader => readWorkers(reader, workerAliveMs(context), listedMax)),
      store.read('all', readLogHealth),
      store.read('all', readContradicted),
      store.look('all', query => readEveryFreeze(query, listedMax)),
      doorbell.depth(),
    ])
  return {
    ...counts,
    overdue_ms,
    failures,
    denials,
    calls,
    workers,
    doorbell: depth,
    audit_log,
    contradicted,
    freezes: freezes.map(stored => ({ tenant_id: stored.tenant_id, ...freezeView(stored) })),
  }
}

export async function readQueueHistory(
  context: Context,
  minutes: number,
): Promise<{ samples: QueueSample[] }> {
  return { samples: await context.store.read('all', reader => readSamples(reader, minutes)) }
}

/** Returns one page of a view: failed jobs with the latest end first, all others with the oldest action first. */
export async function listJobs(
  context: Context,
  { view, ...page }: Omit<JobPage, 'view'> & { view: (typeof jobViews)[number] },
): Promise<{ jobs: QueuedJob[]; next_cursor: string | null }> {
  const { jobs, next } = await context.store.read('all', reader =>
    view === 'failed' ? listFailed(reader, page) : listStored(reader, { view, ...page }),
  )
  return { jobs, next_cursor: next }
}
