import type { Registry } from '../shared/actuator/registry.ts'
import type { Principal } from '../shared/contract/audit.ts'
import { type ClaimedJob, claimJobs } from '../shared/flow/claim-jobs.ts'
import type { Context } from '../shared/flow/context.ts'
import { renewLeases } from '../shared/flow/renew-leases.ts'
import { createRunner } from '../shared/flow/run-execution.ts'

/** Claims due jobs whenever it is woken and has free slots, runs them, and keeps their leases alive. */
export interface Executor {
  /** Work may be due. Returns at once; calls that come together are one. */
  wake(): void
  inFlight(): number
  /** Stop claiming and let running jobs end; after `ms` their calls are aborted and recorded as unknown. */
  drain(ms: number): Promise<void>
}

interface Running {
  job: ClaimedJob
  lost: AbortController
  renewalsMissed: number
  ended: Promise<void>
}

/** A lease that could not be renewed twice in a row is as good as lost. */
const renewalsMissedMax = 2

export function createExecutor(context: Context, worker: Principal, registry: Registry): Executor {
  const { worker_concurrency: slots, lease_ms } = context.config
  const runner = createRunner(context, worker)
  const running = new Map<string, Running>()
  let stopped = false
  let woken = false
  let claiming: Promise<void> | null = null

  const claim = async (): Promise<void> => {
    while (woken && !stopped && running.size < slots) {
      woken = false
      const { jobs, more } = await claimJobs(context, { worker, registry, limit: slots - running.size })
      for (const job of jobs) start(job)
      if (more) {
        woken = true
        context.doorbell.ring([{ id: `more-${jobs[0]?.token ?? 0}`, delayMs: 0 }])
      }
    }
  }

  const wake = (): void => {
    woken = true
    if (claiming || stopped || running.size >= slots) return
    claiming = claim()
      .catch(error => context.events.failed('claim', error))
      .finally(() => {
        claiming = null
        if (woken && running.size < slots) setImmediate(wake)
      })
  }

  const start = (job: ClaimedJob): void => {
    const lost = new AbortController()
    const ended = runner
      .run(job, lost.signal)
      .catch(error => context.events.failed('run_execution', error))
      .finally(() => {
        running.delete(job.action_id)
        if (woken) wake()
      })
    running.set(job.action_id, { job, lost, renewalsMissed: 0, ended })
  }

  const renew = async (): Promise<void> => {
    const held = [...running.values()]
    if (held.length === 0) return
    try {
      const still = await renewLeases(
        context,
        held.map(({ job }) => job),
      )
      for (const entry of held) {
        if (still.has(entry.job.action_id)) entry.renewalsMissed = 0
        else entry.lost.abort(new Error('the lease was lost'))
      }
    } catch (error) {
      context.events.failed('renew_leases', error)
      for (const entry of held) {
        entry.renewalsMissed += 1
        if (entry.renewalsMissed >= renewalsMissedMax)
          entry.lost.abort(new Error('the lease could not be renewed'))
      }
    }
  }
  const renewing = setInterval(() => void renew(), lease_ms / 3)

  return {
    wake,
    inFlight: () => running.size,
    async drain(ms) {
      stopped = true
      await claiming
      const late = setTimeout(() => {
        for (const { lost } of running.values()) lost.abort(new Error('the worker is shutting down'))
      }, ms)
      await Promise.all([...running.values()].map(({ ended }) => ended))
      clearTimeout(late)
      clearInterval(renewing)
    },
  }
}
