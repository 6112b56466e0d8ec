import { describe, expect, it } from 'vitest'
import { createWaitingWakeUps, type Due } from '../../../shared/runtime/queue/waiting-wake-ups.ts'

let ms = 0
const wait = (laterMax: number) => createWaitingWakeUps(laterMax, () => ms)
const now = (id: string, due: Due = 'jobs') => ({ id, delayMs: 0, due })
const later = (id: string, delayMs: number) => ({ id, delayMs })

describe('rings that wait', () => {
  it('of those due now one of each kind is enough', () => {
    const waiting = wait(2)
    for (const ring of [now('a'), now('b', 'messages'), now('c')]) expect(waiting.add(ring)).toBe(true)
    expect(waiting.isEmpty()).toBe(false)
    expect(waiting.take()).toEqual([now('c'), now('b', 'messages')])
    expect(waiting.isEmpty()).toBe(true)
  })

  it('of those due later the soonest are kept, whenever they came', () => {
    ms = 0
    const waiting = wait(3)
    expect([later('a', 500), later('b', 100), later('c', 300)].map(waiting.add)).toEqual([true, true, true])
    ms = 50
    expect(waiting.add(later('sooner', 150))).toBe(false)
    expect(waiting.add(later('latest', 900))).toBe(false)
    expect(waiting.add(now('at once'))).toBe(true)
    expect(waiting.take()).toEqual([now('at once'), later('b', 50), later('sooner', 150), later('c', 250)])
  })

  it('those that became due while they waited are one that is due now, and make room', () => {
    ms = 0
    const waiting = wait(2)
    waiting.add(later('a', 10))
    waiting.add(later('b', 20))
    ms = 20
    expect([later('c', 30), later('d', 30)].map(waiting.add)).toEqual([true, true])
    ms = 25.5
    expect(waiting.take()).toEqual([{ id: 'b', delayMs: 0 }, later('c', 25), later('d', 25)])
    expect(waiting.take()).toEqual([])
  })

  it('however many there are, what is taken is bounded', () => {
    ms = 0
    const waiting = wait(1_000)
    const lost = Array.from({ length: 100_000 }, (_, n) => later(`${n}`, 1 + ((n * 7_919) % 100_003)))
      .map(waiting.add)
      .filter(kept => !kept)
    expect(lost).toHaveLength(99_000)
    const taken = waiting.take().map(({ delayMs }) => delayMs)
    expect(taken).toEqual([...taken].sort((one, other) => one - other))
    expect(taken).toHaveLength(1_000)
    expect(taken.at(-1)).toBeLessThan(1_100)
  })
})
