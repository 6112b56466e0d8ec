import type { Registry } from '../shared/actuator/registry.ts'
import type { Principal } from '../shared/contract/action/audit.ts'
import type { Context } from '../shared/flow/core/context.ts'
import { type DueOperation, takeCallbacks, takeDuePolls } from '../shared/flow/execution/poll-dispatched.ts'
import { monotonicMs } from '../shared/runtime/clock.ts'
import { createPollRoom } from './poll-room.ts'

/**
 * Polls operations that downstreams have accepted. It runs when an operation is due and at every sweep interval.
 */
export interface OperationPoller {
  pass(): Promise<void>
  dueIn(ms: number): void
  close(): Promise<void>
}

const callbacksAtOnce = 64

/**
 * Handles callbacks first, because they need no call to a downstream. Polls are limited per tenant and per system,
 * so that a hanging downstream delays only its own operations.
 */
export function createOperationPoller(
  context: Context,
  worker: Principal,
  registry: Registry,
): OperationPoller {
  const poller = { worker, registry }
  const room = createPollRoom(context.config.execution_ms_max)
  const underWay = new Set<Promise<void>>()
  let current: Promise<void> | null = null
  let closed = false

  const earliest = createEarliestTimer(() => void pass())
  const dueIn = (ms: number): void => {
    if (!closed && ms <= context.config.sweep_ms) earliest.set(ms)
  }

  const ask = async (operation: DueOperation): Promise<boolean> => {
    const { next_ms, silent } = await operation.make()
    if (next_ms !== null) dueIn(next_ms)
    return silent
  }

  const judgeCallbacks = async (): Promise<void> => {
    for (let taken = callbacksAtOnce; taken === callbacksAtOnce && !closed; ) {
      const called = await takeCallbacks(context, poller, callbacksAtOnce)
      taken = called.length
      await Promise.all(called.map(ask))
    }
  }

  const beginPolls = async (): Promise<void> => {
    for (let taken = 1; taken > 0 && !closed && room.left() > 0; ) {
      const due = await takeDuePolls(context, poller, room.bounds())
      taken = due.length
      for (const operation of due) {
        const leave = room.enter(operation)
        const asking = ask(operation)
          .then(leave)
          .finally(() => underWay.delete(asking))
          // Another poll may be due that had no room before.
          .then(() => dueIn(0))
        underWay.add(asking)
      }
    }
  }

  const pass = (): Promise<void> => {
    if (closed) return Promise.resolve()
    current ??= judgeCallbacks()
      .then(beginPolls)
      .catch(error => context.events.failed('poll_dispatched', error))
      .finally(() => {
        current = null
      })
    return current
  }

  return {
    pass,
    dueIn,
    async close() {
      closed = true
      earliest.stop()
      await current
      await Promise.all(underWay)
    },
  }
}

function createEarliestTimer(onDue: () => void) {
  let timer: { due: number; handle: NodeJS.Timeout } | null = null
  return {
    set(ms: number): void {
      const due = monotonicMs() + ms
      if (timer && timer.due <= due) return
      clearTimeout(timer?.handle)
      const handle = setTimeout(() => {
        timer = null
        onDue()
      }, ms)
      timer = { due, handle }
    },
    stop: () => clearTimeout(timer?.handle),
  }
}
