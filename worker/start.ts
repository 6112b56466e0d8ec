import { type Equipment, openRegistry } from '../shared/flow/actuator-registry.ts'
import type { Context } from '../shared/flow/context.ts'
import { reconcile } from '../shared/flow/reconcile.ts'
import { sequenceLog } from '../shared/flow/sequence-log.ts'
import { announceSigningKey, signLog } from '../shared/flow/sign-log.ts'
import { sweep } from '../shared/flow/sweep.ts'
import { answerDoorbell, type QueueLocation } from '../shared/runtime/doorbell.ts'
import { newName } from '../shared/runtime/ids.ts'
import type { SigningKey } from '../shared/runtime/signing-key.ts'
import { createExecutor } from './executor.ts'

export interface RunningWorker {
  id: string
  inFlight(): number
  /** Stop claiming, let running jobs end within the configured time, and leave the queue. */
  close(): Promise<void>
}

/** Start executing: on every ring, and every sweep interval whatever the queue does. */
export async function startWorker(
  context: Context,
  queue: QueueLocation,
  equipment: Equipment,
): Promise<RunningWorker> {
  const id = newName('wrk')
  const self = { id, kind: 'worker' } as const
  const registry = await openRegistry(context, equipment)
  const { signingKey } = equipment
  const executor = createExecutor(context, self, registry)
  const bell = answerDoorbell(queue, executor.wake, error => context.events.queueFailed(error))
  const ticking = every(context.config.sweep_ms, async () => {
    executor.wake()
    await sweep(context).catch(error => context.events.failed('sweep', error))
  })
  const reconciling = every(context.config.sweep_ms, () =>
    reconcile(context, self, registry).catch(error => context.events.failed('reconcile', error)),
  )
  if (signingKey) await announceSigningKey(context, signingKey)
  const logging = every(context.config.log_ms, () =>
    keepLog(context, signingKey).catch(error => context.events.failed('log', error)),
  )
  executor.wake()
  return {
    id,
    inFlight: executor.inFlight,
    async close() {
      executor.stop()
      await Promise.all([ticking.stop(), reconciling.stop(), bell.close()])
      await executor.drain(context.config.shutdown_ms_max)
      await logging.stop()
    },
  }
}

/** Integrate and sign until nothing waits. */
async function keepLog(context: Context, signingKey: SigningKey | null): Promise<void> {
  for (let more = true; more; ) {
    more = await sequenceLog(context, signingKey !== null)
    if (signingKey) more = (await signLog(context, signingKey)) || more
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
