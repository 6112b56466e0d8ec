import type { Context } from '../shared/flow/core/context.ts'
import { type Equipment, markWorker, offerOf, openRegistry } from '../shared/flow/execution/mark-worker.ts'
import { judgeLeases, sweep } from '../shared/flow/execution/sweep.ts'
import { newName } from '../shared/runtime/ids.ts'
import { answerDoorbell } from '../shared/runtime/queue/doorbell.ts'
import type { QueueLocation } from '../shared/runtime/queue/wake-up-queue.ts'
import type { Signing } from '../shared/runtime/secrets/service-keys.ts'
import { createExecutor } from './executor.ts'
import { openLogKeeper } from './log-publisher.ts'
import { createOperationPoller } from './operation-poller.ts'
import { createReconciler } from './reconciler.ts'
import { createTestCaller } from './test-caller.ts'
import { createWebhookDispatcher } from './webhook-dispatcher.ts'

export interface RunningWorker {
  id: string
  inFlight(): number
  /** Stop claiming, let running jobs end within the configured time, and leave the queue. */
  close(): Promise<void>
}

export interface WorkerEquipment extends Equipment {
  /** Signs the audit; null where nothing is signed. */
  signing: Signing | null
}

/** How often every log that was signed is compared with the database. */
const compareLogsMs = 600_000

/** So often within a sweep interval a worker looks for leases that ran out. */
const leaseLooks = 2

/** Start executing: on every ring, and every sweep interval whatever the queue does. */
export async function startWorker(
  context: Context,
  queue: QueueLocation,
  equipment: WorkerEquipment,
): Promise<RunningWorker> {
  const id = newName('wrk')
  const self = { id, kind: 'worker' } as const
  const { registry, close: closeRegistry } = openRegistry(context, equipment)
  const webhookDispatcher = createWebhookDispatcher(context)
  const logs = await openLogKeeper(context, equipment.signing, webhookDispatcher.logsGrown)
  const poller = createOperationPoller(context, self, registry)
  const testCaller = createTestCaller(context, id, () => offerOf(context, equipment))
  const executor = createExecutor(context, self, { registry, dispatched: poller.dueIn })
  context.events.watch({
    worker: () => ({
      slots: context.config.worker_concurrency,
      in_flight: executor.inFlight(),
      oldest_call_ms: executor.oldestMs(),
      call_time_used: executor.deadlineUsed(),
    }),
  })
  const bell = answerDoorbell(
    queue,
    due => ({ jobs: executor, messages: webhookDispatcher, tests: testCaller })[due].wake(),
    error => context.events.queueFailed(error),
  )
  const beating = every(context.config.sweep_ms, async () => {
    executor.sweep()
    webhookDispatcher.logsGrown(null)
    webhookDispatcher.wake()
    await markWorker(context, id, offerOf(context, equipment)).catch(error =>
      context.events.failed('mark_worker', error),
    )
  })
  const sweeping = every(context.config.sweep_ms, () =>
    sweep(context).catch(error => context.events.failed('sweep', error)),
  )
  const judging = every(context.config.sweep_ms / leaseLooks, () =>
    judgeLeases(context).catch(error => context.events.failed('judge_leases', error)),
  )
  const reconciler = createReconciler(context, self, registry)
  const reconciling = every(context.config.sweep_ms, () =>
    reconciler.pass().catch(error => context.events.failed('reconcile', error)),
  )
  const polling = every(context.config.sweep_ms, poller.pass)
  const testing = every(context.config.sweep_ms, testCaller.pass)
  const logging = every(context.config.log_ms, () =>
    logs.keep().catch(error => context.events.failed('log', error)),
  )
  const witnessing = every(context.config.sweep_ms, () =>
    logs.witness().catch(error => context.events.failed('witness', error)),
  )
  const telling = every(context.config.sweep_ms, () =>
    logs.tell().catch(error => context.events.failed('tell_keys', error)),
  )
  const comparing = every(compareLogsMs, () =>
    logs.compare().catch(error => context.events.failed('compare_logs', error)),
  )
  executor.wake()
  return {
    id,
    inFlight: executor.inFlight,
    async close() {
      context.ending.abort()
      const { shutdown_ms_max } = context.config
      await Promise.all([
        ...[beating, sweeping, judging, reconciling, polling, testing].map(({ stop }) => stop()),
        reconciler.ended(),
        poller.close(),
        testCaller.close(),
        bell.close(),
        executor.drain(shutdown_ms_max),
        webhookDispatcher.close(shutdown_ms_max),
      ])
      await closeRegistry()
      logs.stop()
      await Promise.all([logging.stop(), witnessing.stop(), telling.stop(), comparing.stop()])
    },
  }
}

/** Run `work` now and `ms` after each end of it. */
function every(ms: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> = Promise.resolve()
  const tick = (): void => {
    current = work().finally(() => {
      if (!stopped) timer = setTimeout(tick, ms)
    })
  }
  tick()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
