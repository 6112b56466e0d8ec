import type { Registry } from '../shared/actuator/registry.ts'
import type { Principal } from '../shared/contract/action/audit.ts'
import type { Context } from '../shared/flow/core/context.ts'
import { pollDispatched } from '../shared/flow/execution/poll-dispatched.ts'
import { monotonicMs } from '../shared/runtime/clock.ts'

/** Asks about operations that downstreams accepted: when this worker knows that one is due, and every sweep interval. */
export interface OperationPoller {
  pass(): Promise<void>
  /** One is due in so many milliseconds. */
  dueIn(ms: number): void
  /** Nothing is asked any more; resolves when what was asked has been recorded. */
  close(): Promise<void>
}

/** Operations asked about at once. */
const atOnce = 32

export function createOperationPoller(
  context: Context,
  worker: Principal,
  registry: Registry,
): OperationPoller {
  let current: Promise<void> | null = null
  let closed = false
  let timer: { due: number; handle: NodeJS.Timeout } | null = null

  const dueIn = (ms: number): void => {
    const due = monotonicMs() + ms
    if (closed || ms > context.config.sweep_ms || (timer && timer.due <= due)) return
    if (timer) clearTimeout(timer.handle)
    const handle = setTimeout(() => {
      timer = null
      void pass()
    }, ms)
    timer = { due, handle }
  }

  const round = async (): Promise<void> => {
    try {
      for (let taken = atOnce; taken === atOnce && !closed; ) {
        const polled = await pollDispatched(context, { worker, registry, limit: atOnce })
        taken = polled.taken
        if (polled.next_ms !== null) dueIn(polled.next_ms)
      }
    } catch (error) {
      context.events.failed('poll_dispatched', error)
    }
  }

  const pass = (): Promise<void> => {
    if (closed) return Promise.resolve()
    current ??= round().finally(() => {
      current = null
    })
    return current
  }

  return {
    pass,
    dueIn,
    async close() {
      closed = true
      if (timer) clearTimeout(timer.handle)
      await current
    },
  }
}
