import type { Registry } from '../shared/actuator/registry.ts'
import type { Principal } from '../shared/contract/action/audit.ts'
import type { Context } from '../shared/flow/core/context.ts'
import { slotShares } from '../shared/flow/execution/call-shares.ts'
import { type ClaimedJob, claimJobs, type JobsOfSystem } from '../shared/flow/execution/claim-jobs.ts'
import { createRunner } from '../shared/flow/execution/run-execution.ts'
import { monotonicMs } from '../shared/runtime/clock.ts'
import { createEnding, withTimeout } from '../shared/runtime/deadline.ts'
import { createClaimCursor } from './claim-cursor.ts'
import { createDeadlineUsed, type Timed } from './deadline-used.ts'
import { monitorEventLoop } from './event-loop-monitor.ts'
import { createLeaseHeartbeat } from './lease-heartbeat.ts'
import { createNotifier } from './notifier.ts'

/** Claims due jobs when woken and while slots are free. It runs the jobs and renews their leases. */
export interface Executor {
  /** Schedules a claim and returns at once. Several calls within one turn of the event loop cause one claim. */
  wake(): void
  /** Schedules a claim like `wake`. This claim also finds jobs that became due long ago. */
  sweep(): void
  inFlight(): number
  /** Milliseconds since the oldest running call began; 0 if no call is running. */
  oldestMs(): number
  deadlineUsed(): number
  /**
   * Stops claiming and lets running jobs end. After `ms` it aborts their calls and records them as unknown. An
   * outcome that cannot be recorded within 2 more seconds is left to another worker's sweep.
   */
  drain(ms: number): Promise<void>
}

/**
 * After a claim that filled most slots, the next claim waits up to 5 ms for calls to end. One claim of forty jobs
 * costs hardly more than one claim of ten, so fewer and larger claims are cheaper.
 */
const answersMsMax = 5

/**
 * A failed claim is repeated after 1 second, because its wake-up was used up and the next sweep may be far away.
 */
const restMs = 1_000

const recordMsMax = 2_000

/** `dispatched` is called when a downstream accepts a call; the operation must be polled after `dueInMs`. */
export function createExecutor(
  context: Context,
  worker: Principal,
  { registry, dispatched }: { registry: Registry; dispatched(dueInMs: number): void },
): Executor {
  const slots = context.config.worker_concurrency
  const loop = monitorEventLoop(context.config.lease_ms / 4)
  const running = createRunning(context.config.execution_ms_max)
  const free = (): number => freeOf(slots, running)
  const others = createNotifier(context.doorbell)
  let stopped = false
  let woken = false
  const place = createClaimCursor()
  let claiming: Promise<void> | null = null
  const retry = createRetry(context, () => wake())

  const claim = async (): Promise<void> => {
    while (woken && !stopped && free() > 0 && !loop.stalled()) {
      woken = false
      const room = { limit: free(), shares: slotShares(slots), taken: running.bySystem }
      const claimed = await claimJobs(context, { worker, registry, ...room, ...place.begin() })
      const answers = claimed.jobs.map(calls.start)
      woken = place.end(claimed) || woken
      if (claimed.more && claimed.jobs[0]) others.tell(claimed.jobs[0].token)
      if (answers.length > slots / 2) await withTimeout(Promise.all(answers), answersMsMax, () => undefined)
    }
  }

  const wake = (): void => {
    woken = true
    if (claiming || stopped || free() <= 0) return
    claiming = claim()
      .catch(retry.failed)
      .finally(() => {
        claiming = null
        if (woken && free() > 0 && !loop.stalled()) setImmediate(wake)
      })
  }

  const wakeSoon = createSoon(wake)
  const freed = (): void => {
    place.callEnded()
    if (woken || place.bounded()) wakeSoon()
  }
  const calls = createCalls(context, worker, { running, dispatched, freed })

  return {
    wake,
    sweep() {
      place.sweep()
      wake()
    },
    inFlight: running.calls,
    oldestMs: running.oldestMs,
    deadlineUsed: running.deadlineUsed,
    async drain(ms) {
      stopped = true
      const until = monotonicMs() + ms
      await claiming
      retry.stop()
      others.stop()
      await calls.end(until - monotonicMs())
      loop.close()
    },
  }
}

/**
 * Delays the wake-up to the end of the turn, so that one claim fills all slots that were freed within the turn.
 */
function createSoon(wake: () => void): () => void {
  let soon = false
  return () => {
    if (soon) return
    soon = true
    setImmediate(() => {
      soon = false
      wake()
    })
  }
}

interface Calling {
  running: ReturnType<typeof createRunning>
  dispatched(dueInMs: number): void
  freed(): void
}

function createCalls(context: Context, worker: Principal, { running, dispatched, freed }: Calling) {
  const abandoned = createEnding()
  const runner = createRunner(context, worker, { abandoned: abandoned.signal, dispatched })
  const leases = createLeaseHeartbeat(context)
  return {
    start(job: ClaimedJob): Promise<void> {
      const { over, release } = leases.keep(job)
      const answered = (): void => {
        running.answered(job)
        freed()
      }
      const ended = runner
        .run(job, over, answered)
        .catch(error => context.events.failed('run_execution', error))
        .finally(() => {
          release()
          running.remove(job)
          freed()
        })
      return running.add(job, ended)
    },
    async end(ms: number): Promise<void> {
      const ended = giveTime(ms, leases.giveUp, abandoned)
      await running.ended()
      ended()
      leases.close()
    },
  }
}

function createRetry(context: Context, wake: () => void) {
  let timer: NodeJS.Timeout | undefined
  return {
    failed(error: unknown): void {
      context.events.failed('claim', error)
      clearTimeout(timer)
      timer = setTimeout(wake, restMs)
    },
    stop: () => clearTimeout(timer),
  }
}

function giveTime(ms: number, giveUp: () => void, abandoned: AbortController): () => void {
  const late = setTimeout(giveUp, ms)
  const abandon = (): void => abandoned.abort(new Error('the worker ended before it was recorded'))
  const last = setTimeout(abandon, ms + recordMsMax)
  return () => {
    clearTimeout(late)
    clearTimeout(last)
  }
}

/**
 * A call frees its slot when it is answered, before its outcome is recorded. At most twice as many jobs as slots
 * are in progress, so that claims stop while outcomes cannot be recorded.
 */
function freeOf(slots: number, running: ReturnType<typeof createRunning>): number {
  return Math.min(slots - running.calls(), 2 * slots - running.size())
}

function createRunning(callMsMax: number) {
  const ends = new Map<ClaimedJob, Promise<void>>()
  const calls = new Map<ClaimedJob, Timed & { tell: () => void }>()
  const used = createDeadlineUsed(callMsMax)
  const bySystem = new Map<string, JobsOfSystem>()
  const count = ({ tenant_id, call }: ClaimedJob, more: 1 | -1): void => {
    const system = call.target_system
    const name = `${tenant_id} ${system}`
    const jobs = (bySystem.get(name)?.jobs ?? 0) + more
    if (jobs === 0) bySystem.delete(name)
    else bySystem.set(name, { tenant_id, system, jobs })
  }
  const answered = (job: ClaimedJob): void => {
    const call = calls.get(job)
    if (!call) return
    calls.delete(job)
    used.ended(call)
    count(job, -1)
    call.tell()
  }
  return {
    add(job: ClaimedJob, ended: Promise<void>): Promise<void> {
      ends.set(job, ended)
      count(job, 1)
      const call = { begun: monotonicMs(), msMax: Math.min(callMsMax, job.actuator.timeout_ms ?? callMsMax) }
      return new Promise(tell => calls.set(job, { ...call, tell }))
    },
    answered,
    remove(job: ClaimedJob): void {
      answered(job)
      ends.delete(job)
    },
    size: () => ends.size,
    calls: () => calls.size,
    oldestMs(): number {
      const [oldest] = calls.values()
      return oldest ? monotonicMs() - oldest.begun : 0
    },
    deadlineUsed: () => used.most(calls.values()),
    bySystem,
    ended: () => Promise.all(ends.values()),
  }
}
