import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ChangePoller, createChangePoller } from '../../../shared/runtime/queue/change-poller.ts'

/** Time is the test's: a minute of waiting takes none. */
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function watching() {
  const versions = new Map<string, number>()
  const looks: string[][] = []
  const errors: unknown[] = []
  let outage: Error | null = null
  const watch = createChangePoller({
    async versions(ids) {
      looks.push(ids)
      if (outage) throw outage
      return new Map(ids.flatMap(id => (versions.has(id) ? [[id, versions.get(id) ?? 0] as const] : [])))
    },
    now: () => performance.now(),
    onError: error => errors.push(error),
  })
  return {
    watch,
    versions,
    looks,
    errors,
    break(error: Error | null) {
      outage = error
    },
  }
}

function waiting(watch: ChangePoller, id: string, version: number, ms: number) {
  const state = { over: false }
  void watch.changed(id, version, ms).then(() => {
    state.over = true
  })
  return state
}

describe('waiting for an action', () => {
  it('ends when its version changes, and not before', async () => {
    const { watch, versions } = watching()
    versions.set('a', 2)
    const wait = waiting(watch, 'a', 2, 60_000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(wait.over).toBe(false)
    versions.set('a', 3)
    await vi.advanceTimersByTimeAsync(200)
    expect(wait.over).toBe(true)
  })

  it('ends in time when nothing changes, also for an id that is not there', async () => {
    const { watch, versions } = watching()
    versions.set('a', 2)
    const waits = [waiting(watch, 'a', 2, 1_000), waiting(watch, 'b', 2, 1_000)]
    await vi.advanceTimersByTimeAsync(999)
    expect(waits.map(({ over }) => over)).toEqual([false, false])
    await vi.advanceTimersByTimeAsync(1)
    expect(waits.map(({ over }) => over)).toEqual([true, true])
  })

  it('looks at once after a hint', async () => {
    const { watch, versions } = watching()
    versions.set('a', 2)
    const wait = waiting(watch, 'a', 2, 60_000)
    await vi.advanceTimersByTimeAsync(30_000)
    versions.set('a', 3)
    watch.hint(['a'])
    await vi.advanceTimersByTimeAsync(0)
    expect(wait.over).toBe(true)
  })

  it('shares one reading between all waiters', async () => {
    const { watch, looks } = watching()
    for (let at = 0; at < 100; at += 1) waiting(watch, `a${at % 10}`, 1, 60_000)
    await vi.advanceTimersByTimeAsync(8)
    expect(looks.map(ids => ids.length)).toEqual([10])
  })

  it('looks ever more seldom, and never when nobody waits', async () => {
    const { watch, versions, looks } = watching()
    versions.set('a', 1)
    waiting(watch, 'a', 1, 10_000)
    await vi.advanceTimersByTimeAsync(10_200)
    expect(looks.length).toBeLessThan(80)
    const looked = looks.length
    watch.hint(['a', 'b'])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(looks.length).toBe(looked)
  })

  it('outlives an outage', async () => {
    const { watch, versions, errors, break: breakDown } = watching()
    versions.set('a', 1)
    breakDown(new Error('down'))
    const wait = waiting(watch, 'a', 1, 60_000)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(errors.length).toBeGreaterThan(0)
    breakDown(null)
    versions.set('a', 2)
    await vi.advanceTimersByTimeAsync(400)
    expect(wait.over).toBe(true)
  })

  it('ends for everybody at close, and leaves no timer', async () => {
    const { watch } = watching()
    const waits = [waiting(watch, 'a', 1, 60_000), waiting(watch, 'b', 1, 60_000)]
    watch.close()
    await vi.advanceTimersByTimeAsync(0)
    expect(waits.map(({ over }) => over)).toEqual([true, true])
    expect(vi.getTimerCount()).toBe(0)
  })
})
