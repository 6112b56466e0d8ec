import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogPoller, type Place } from '../../../shared/runtime/queue/log-poller.ts'

/** Time is the test's: a minute of waiting takes none. */
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

interface Entry extends Place {
  index: number
}

/** Logs of some size, and every reading of them. */
function tailing(sizes: Record<string, number>) {
  const reads: Place[][] = []
  const errors: unknown[] = []
  const database = { outage: null as Error | null, ms: 0 }
  const tail = createLogPoller<Entry>({
    async read(places) {
      reads.push([...places])
      if (database.ms > 0) await new Promise(resolve => setTimeout(resolve, database.ms))
      if (database.outage) throw database.outage
      return places.flatMap(place =>
        Array.from({ length: Math.max(0, (sizes[place.tenant_id] ?? 0) - place.from) }, (_, at) => ({
          ...place,
          index: place.from + at,
        })),
      )
    },
    now: () => performance.now(),
    onError: error => errors.push(error),
  })
  const follow = (tenant_id: string, from: number, ms = 60_000, givenUp = new AbortController().signal) => {
    const follower: { indexes: number[] | null } = { indexes: null }
    void tail.after({ tenant_id, from }, ms, givenUp).then(entries => {
      follower.indexes = entries.map(({ index }) => index)
    })
    return follower
  }
  return { tail, sizes, reads, errors, database, follow }
}

describe('followers of logs', () => {
  it('cost nothing where there are none, and nothing once they are gone', async () => {
    const { follow, reads, sizes } = tailing({ a: 0 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(reads).toEqual([])
    const follower = follow('a', 0)
    sizes.a = 1
    await vi.advanceTimersByTimeAsync(300)
    expect(follower.indexes).toEqual([0])
    const after = reads.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(reads).toHaveLength(after)
  })

  it('share one reading, with each place in it once, and get what is of their place', async () => {
    const { follow, reads } = tailing({ a: 5, b: 2 })
    const followers = [follow('a', 3), follow('a', 3), follow('a', 4), follow('b', 1), follow('b', 2)]
    await vi.advanceTimersByTimeAsync(260)
    expect(followers.map(({ indexes }) => indexes)).toEqual([[3, 4], [3, 4], [4], [1], null])
    expect(reads[0]?.map(({ tenant_id, from }) => `${tenant_id} ${from}`)).toEqual([
      'a 3',
      'a 4',
      'b 1',
      'b 2',
    ])
  })

  it('are read at most four times a second, and less often while the database is slow', async () => {
    const { follow, reads, database } = tailing({})
    follow('a', 0)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(reads.length).toBeGreaterThan(30)
    expect(reads.length).toBeLessThanOrEqual(40)
    database.ms = 200
    const before = reads.length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(reads.length - before).toBeLessThanOrEqual(11)
  })

  it('get nothing when their time is over, when they give up, and at the close', async () => {
    const giving = new AbortController()
    const { follow, tail } = tailing({})
    const [late, given, closed] = [
      follow('a', 0, 1_000),
      follow('a', 0, 60_000, giving.signal),
      follow('b', 0),
    ]
    await vi.advanceTimersByTimeAsync(900)
    expect([late.indexes, given.indexes, closed.indexes]).toEqual([null, null, null])
    giving.abort()
    await vi.advanceTimersByTimeAsync(200)
    expect([late.indexes, given.indexes, closed.indexes]).toEqual([[], [], null])
    tail.close()
    await vi.advanceTimersByTimeAsync(0)
    expect(closed.indexes).toEqual([])
    expect(follow('a', 0, 1, giving.signal).indexes).toBeNull()
  })
})

describe('a hint', () => {
  it('of a log that somebody follows is looked at at once; of another one nothing is', async () => {
    const { follow, reads, sizes, tail } = tailing({})
    const follower = follow('a', 0)
    tail.hint(['b'])
    await vi.advanceTimersByTimeAsync(10)
    expect(reads).toEqual([])
    sizes.a = 1
    tail.hint(['a', 'b'])
    await vi.advanceTimersByTimeAsync(10)
    expect(follower.indexes).toEqual([0])
  })

  it('that comes during a reading is not lost', async () => {
    const { follow, sizes, tail, database } = tailing({})
    database.ms = 100
    const [follower, other] = [follow('a', 0), follow('b', 0)]
    await vi.advanceTimersByTimeAsync(300)
    tail.hint(['a'])
    await vi.advanceTimersByTimeAsync(51)
    sizes.a = 1
    await vi.advanceTimersByTimeAsync(101)
    expect([follower.indexes, other.indexes]).toEqual([[0], null])
  })
})

describe('a database that is away', () => {
  it('is told of, and does not end the waiting', async () => {
    const { follow, errors, database, sizes } = tailing({})
    database.outage = new Error('away')
    const follower = follow('a', 0)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(errors.length).toBeGreaterThan(1)
    database.outage = null
    sizes.a = 1
    await vi.advanceTimersByTimeAsync(1_000)
    expect(follower.indexes).toEqual([0])
  })
})
