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

/** Claims due jobs whenever it is woken and has free slots, runs them, and keeps their leases alive. */
export interface Executor {
  /** Work may be due. Returns at once; calls that come together are one. */
  wake(): void
  /** As `wake`, and however long the work is due. */
  sweep(): void
  /** Calls that have not answered. */
  inFlight(): number
  /** For how many milliseconds the oldest of these calls is under way; 0 when there is none. */
  oldestMs(): number
  /** The largest part of its time that one of them has taken, or one that ended a moment ago. */
  deadlineUsed(): number
  /**
   * Claim nothing more and let running jobs end; `ms` from now their calls are aborted and recorded as unknown, and what
   * cannot be recorded soon after that is left to the sweeper of another worker.
   */
  drain(ms: number): Promise<void>
}

/**
 * Where a claim took most of the slots, its calls may answer at once: the next claim waits so long for them, since one of
 * forty costs hardly more than one of the ten that are free until then.
 */
const answersMsMax = 5

/** A claim that failed is made again after this long: its ring does not come again, and a sweep may be far. */
const restMs = 1_000

/** For so long after the calls were aborted it is tried to record them. */
const recordMsMax = 2_000

/** `dispatched`: a downstream accepted a call, and is to be asked about it so many milliseconds later. */
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

/** Calls that answer together leave their slots to one claim, after the turn in which they did. */
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
  /** A slot is free again. */
  freed(): void
}

/** The calls of claimed jobs, each with its lease kept alive until it is recorded. */
function createCalls(context: Context, worker: Principal, { running, dispatched, freed }: Calling) {
  const abandoned = createEnding()
  const runner = createRunner(context, worker, { abandoned: abandoned.signal, dispatched })
  const leases = createLeaseHeartbeat(context)
  return {
    /** Resolves when the call has answered. */
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
    /** Calls are aborted `ms` from now, and what cannot be recorded soon after that is abandoned. */
    async end(ms: number): Promise<void> {
      const ended = giveTime(ms, leases.giveUp, abandoned)
      await running.ended()
      ended()
      leases.close()
    },
  }
}

/** Tells of a claim that failed, and wakes a while later. */
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

/** Calls are given up after `ms`, and what is recorded of them is abandoned a while later, unless all has ended before. */
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
 * A call that has answered leaves its slot to another while its outcome is recorded, up to as many again: so many answers are
 * kept where they cannot be recorded, and then nothing more is claimed.
 */
function freeOf(slots: number, running: ReturnType<typeof createRunning>): number {
  return Math.min(slots - running.calls(), 2 * slots - running.size())
}

/** Jobs under way, and of them the calls that have not answered, counted by tenant and system. */
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
    /** Resolves when the call has answered. */
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
