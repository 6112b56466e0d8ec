import type { Context } from '../shared/flow/core/context.ts'
import { type Equipment, markWorker, offerOf, openRegistry } from '../shared/flow/execution/mark-worker.ts'
import { judgeLeases, sweep } from '../shared/flow/execution/sweep.ts'
import { newName } from '../shared/runtime/ids.ts'
import { answerDoorbell } from '../shared/runtime/queue/doorbell.ts'
import type { QueueLocation } from '../shared/runtime/queue/wake-up-queue.ts'
import type { Signing } from '../shared/runtime/secrets/service-keys.ts'
import { createExecutor, type Executor } from './executor.ts'
import { openLogKeeper } from './log-publisher.ts'
import { createOperationPoller } from './operation-poller.ts'
import { createReconciler } from './reconciler.ts'
import { createTestCaller } from './test-caller.ts'
import { createWebhookDispatcher } from './webhook-dispatcher.ts'

export interface RunningWorker {
  id: string
  inFlight(): number
  /** Stops claiming, waits up to the configured time for running jobs, and disconnects from the queue. */
  close(): Promise<void>
}

export interface WorkerEquipment extends Equipment {
  signing: Signing | null
}

const compareLogsMs = 600_000

/** Looks for expired leases twice per sweep interval, so that the jobs of a dead worker are taken over sooner. */
const leaseLooks = 2

/** Starts a worker. It works on wake-ups and at every sweep interval, so that a failing queue cannot stop it. */
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
  watchExecutor(context, executor)
  const bell = answerDoorbell(
    queue,
    due => ({ jobs: executor, messages: webhookDispatcher, tests: testCaller })[due].wake(),
    error => context.events.queueFailed(error),
  )
  const { sweep_ms, log_ms, shutdown_ms_max } = context.config
  const repeat = (ms: number, name: string, work: () => Promise<unknown>): Repeated =>
    every(ms, () => work().catch(error => context.events.failed(name, error)))
  const beat = async (): Promise<void> => {
    executor.sweep()
    webhookDispatcher.logsGrown(null)
    webhookDispatcher.wake()
    await markWorker(context, id, offerOf(context, equipment))
  }
  const reconciler = createReconciler(context, self, registry)
  const working = [
    repeat(sweep_ms, 'mark_worker', beat),
    repeat(sweep_ms, 'sweep', () => sweep(context)),
    repeat(sweep_ms / leaseLooks, 'judge_leases', () => judgeLeases(context)),
    repeat(sweep_ms, 'reconcile', reconciler.pass),
    repeat(sweep_ms, 'poll_dispatched', poller.pass),
    repeat(sweep_ms, 'test_calls', testCaller.pass),
  ]
  /** These tasks stop last, so that the outcomes of the jobs that are still running get into a log. */
  const logging = [
    repeat(log_ms, 'log', logs.keep),
    repeat(sweep_ms, 'witness', logs.witness),
    repeat(sweep_ms, 'tell_keys', logs.tell),
    repeat(compareLogsMs, 'compare_logs', logs.compare),
  ]
  executor.wake()
  return {
    id,
    inFlight: executor.inFlight,
    async close() {
      context.ending.abort()
      await Promise.all([
        ...working.map(({ stop }) => stop()),
        reconciler.ended(),
        poller.close(),
        testCaller.close(),
        bell.close(),
        executor.drain(shutdown_ms_max),
        webhookDispatcher.close(shutdown_ms_max),
      ])
      await closeRegistry()
      logs.stop()
      await Promise.all(logging.map(({ stop }) => stop()))
    },
  }
}

function watchExecutor(context: Context, executor: Executor): void {
  context.events.watch({
    worker: () => ({
      slots: context.config.worker_concurrency,
      in_flight: executor.inFlight(),
      oldest_call_ms: executor.oldestMs(),
      call_deadline_used: executor.deadlineUsed(),
    }),
  })
}

interface Repeated {
  stop(): Promise<void>
}

/** Runs `work` now, and again `ms` after each run has ended. */
function every(ms: number, work: () => Promise<unknown>): Repeated {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let current: Promise<unknown> = Promise.resolve()
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
