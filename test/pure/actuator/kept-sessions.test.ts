import { expect, it } from 'vitest'
import { keepSessions, type SessionBounds, type Wanted } from '../../../shared/actuator/mcp/kept-sessions.ts'
import type { Session } from '../../../shared/actuator/mcp/mcp-session.ts'

interface Played extends Session {
  ended: number
  break(): void
}

function play(): Played {
  let isBroken = false
  let tell = (): void => undefined
  const unused = () => Promise.reject(new Error('nobody asks it'))
  const session: Played = {
    ended: 0,
    ready: Promise.resolve(),
    broken: () => isBroken,
    whenBroken(then) {
      tell = then
    },
    break() {
      isBroken = true
      tell()
    },
    confirm: unused,
    call: unused,
    ask: unused,
    async end() {
      session.ended += 1
    },
  }
  return session
}

function bench(bounds: Partial<SessionBounds> = {}) {
  const opened: Played[] = []
  const kept = keepSessions({ idle_ms: 60_000, life_ms_max: 60_000, idle_max: 10, ...bounds })
  const wanted = (identity: string, calls_max = 8): Wanted => ({
    identity,
    calls_max,
    open() {
      const session = play()
      opened.push(session)
      return session
    },
  })
  const ended = () => opened.map(session => session.ended)
  return { kept, opened, ended, borrow: (...given: [string, number?]) => kept.borrow(wanted(...given)) }
}

it('calls of one identity share a session, and those of another do not', () => {
  const { borrow, opened } = bench()
  const [first, second, other] = [borrow('a'), borrow('a'), borrow('b')]
  expect([first.kept, second.kept, other.kept]).toEqual([false, true, false])
  expect(second.session).toBe(first.session)
  expect(other.session).not.toBe(first.session)
  expect(opened).toHaveLength(2)
})

it('a session with as many calls as it takes leaves the next to another', () => {
  const { borrow, opened } = bench()
  const first = borrow('a', 2)
  borrow('a', 2)
  expect(borrow('a', 2).session).not.toBe(first.session)
  first.giveBack('sound')
  expect(borrow('a', 2).session).toBe(first.session)
  expect(opened).toHaveLength(2)
})

it('a session that misbehaved takes no call, and ends with its last one', () => {
  const { borrow, ended } = bench()
  const [first, second] = [borrow('a'), borrow('a')]
  first.giveBack('misbehaved')
  expect(ended()).toEqual([0])
  expect(borrow('a').session).not.toBe(second.session)
  second.giveBack('sound')
  expect(ended()).toEqual([1, 0])
})

it('a session that breaks ends, at once or after the calls in it', () => {
  const { borrow, opened, ended } = bench()
  borrow('a').giveBack('sound')
  opened[0]?.break()
  expect(ended()).toEqual([1])
  const used = borrow('a')
  opened[1]?.break()
  expect(ended()).toEqual([1, 0])
  used.giveBack('sound')
  expect(ended()).toEqual([1, 1])
})

it('a session that broke is not lent', () => {
  const { borrow, opened } = bench()
  const used = borrow('a')
  opened[0]?.break()
  expect(used.kept).toBe(false)
  expect(borrow('a')).toMatchObject({ kept: false, session: opened[1] })
})

it('a session at the end of its life ends after its calls', () => {
  const { borrow, ended, kept } = bench({ life_ms_max: 0 })
  const [first, second] = [borrow('a'), borrow('a')]
  expect(second.session).not.toBe(first.session)
  first.giveBack('sound')
  expect(ended()).toEqual([1, 0])
  expect(kept.size()).toBe(1)
})

it('a session that nobody uses ends after its time', async () => {
  const { borrow, ended, kept } = bench({ idle_ms: 1 })
  borrow('a').giveBack('sound')
  await expect.poll(ended).toEqual([1])
  expect(kept.size()).toBe(0)
})

it('of too many unused sessions the one that waited longest ends', () => {
  const { borrow, ended } = bench({ idle_max: 2 })
  const loans = ['a', 'b', 'c'].map(identity => borrow(identity))
  borrow('d')
  for (const loan of loans) loan.giveBack('sound')
  expect(ended()).toEqual([1, 0, 0, 0])
  borrow('b').giveBack('sound')
  borrow('e').giveBack('sound')
  expect(ended()).toEqual([1, 0, 1, 0, 0])
})

it('all sessions end with the worker, used or not', async () => {
  const { borrow, ended, kept } = bench()
  const used = borrow('a')
  borrow('b').giveBack('sound')
  await kept.close()
  used.giveBack('sound')
  borrow('c').giveBack('sound')
  expect(ended()).toEqual([1, 1, 1])
  expect(kept.size()).toBe(0)
})
