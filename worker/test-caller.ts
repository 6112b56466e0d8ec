import type { Context } from '../shared/flow/core/context.ts'
import type { WorkerOffer } from '../shared/flow/execution/mark-worker.ts'
import {
  type AskedTestCall,
  findTestCalls,
  sweepTestCalls,
  takeTest,
} from '../shared/flow/tool/take-test-calls.ts'

/** Makes test calls for processes that have no worker, on wake-ups and at every sweep interval. */
export interface TestCaller {
  wake(): void
  pass(): Promise<void>
  close(): Promise<void>
}

const slots = 32

export function createTestCaller(context: Context, worker: string, offer: () => WorkerOffer): TestCaller {
  const underWay = new Map<string, Promise<void>>()
  let looking: Promise<void> | null = null
  let woken = false
  let stopped = false

  const look = async (): Promise<void> => {
    while (woken && !stopped) {
      woken = false
      const free = slots - underWay.size
      const found = free > 0 ? await findTestCalls(context, slots) : []
      for (const asked of found.filter(({ test_id }) => !underWay.has(test_id)).slice(0, free)) start(asked)
    }
  }

  const start = (asked: AskedTestCall): void => {
    const { test_id } = asked
    const calling = takeTest(context, { worker, offer: offer() }, asked)
      .catch(error => context.events.failed('test_call', error))
      .finally(() => underWay.delete(test_id))
    underWay.set(test_id, calling)
  }

  const wake = (): void => {
    woken = true
    if (stopped) return
    looking ??= look()
      .catch(error => context.events.failed('find_test_calls', error))
      .finally(() => {
        looking = null
      })
  }

  return {
    wake,
    async pass() {
      wake()
      await sweepTestCalls(context).catch(error => context.events.failed('sweep_test_calls', error))
    },
    async close() {
      stopped = true
      await looking
      await Promise.all(underWay.values())
    },
  }
}
