import { createStopwatch, type Stopwatch } from '../../runtime/clock.ts'
import type { Session } from './mcp-session.ts'

/** Limits on a worker's sessions: idle time and age in ms, and the number of idle sessions. */
export interface SessionBounds {
  idle_ms: number
  life_ms_max: number
  idle_max: number
}

export interface Wanted {
  identity: string
  calls_max: number
  open(): Session
}

/** The state of a returned session. A `misbehaved` session takes no new call and ends after its last one. */
export type SessionState = 'sound' | 'misbehaved'

export interface Loan {
  session: Session
  /** True if the session existed before this call, so that a failure may come from the session's past. */
  kept: boolean
  giveBack(state: SessionState): void
}

/** The Model Context Protocol sessions of a worker. Only calls of the same identity share a session. */
export interface KeptSessions {
  borrow(wanted: Wanted): Loan
  size(): number
  close(): Promise<void>
}

interface Kept {
  identity: string
  session: Session
  age: Stopwatch
  calls: number
  spent: boolean
  idle: NodeJS.Timeout | null
}

export function keepSessions(bounds: SessionBounds): KeptSessions {
  /** Idle sessions are in the order in which they became idle, so that the longest idle ones end first. */
  const all = new Set<Kept>()
  const endings = new Set<Promise<void>>()
  let closed = false

  const end = (kept: Kept): void => {
    if (!all.delete(kept)) return
    kept.spent = true
    if (kept.idle) clearTimeout(kept.idle)
    const ended = (): void => {
      endings.delete(ending)
    }
    // An error while closing is ignored, because it says nothing about any call.
    const ending: Promise<void> = kept.session.end().then(ended, ended)
    endings.add(ending)
  }
  const isOver = (kept: Kept): boolean =>
    closed || kept.spent || kept.session.broken() || kept.age() >= bounds.life_ms_max
  const find = ({ identity, calls_max }: Wanted): Kept | undefined => {
    const fitting = [...all].filter(kept => kept.identity === identity && kept.calls < calls_max)
    return fitting.find(kept => !isOver(kept))
  }
  const make = ({ identity, open }: Wanted): Kept => {
    const kept = { identity, session: open(), age: createStopwatch(), calls: 0, spent: false, idle: null }
    all.add(kept)
    kept.session.whenBroken(() => {
      if (kept.calls === 0) end(kept)
    })
    return kept
  }
  const rest = (kept: Kept): void => {
    all.delete(kept)
    all.add(kept)
    kept.idle = setTimeout(end, bounds.idle_ms, kept)
    kept.idle.unref()
    const resting = [...all].filter(({ calls }) => calls === 0)
    for (const longest of resting.slice(0, Math.max(0, resting.length - bounds.idle_max))) end(longest)
  }
  const giveBack = (kept: Kept, state: SessionState): void => {
    kept.calls -= 1
    kept.spent ||= state === 'misbehaved'
    if (kept.calls > 0) return
    if (isOver(kept)) end(kept)
    else rest(kept)
  }

  return {
    borrow(wanted) {
      const found = find(wanted)
      const kept = found ?? make(wanted)
      kept.calls += 1
      if (kept.idle) clearTimeout(kept.idle)
      kept.idle = null
      return { session: kept.session, kept: found !== undefined, giveBack: state => giveBack(kept, state) }
    },
    size: () => all.size,
    async close() {
      closed = true
      for (const kept of all) end(kept)
      await Promise.all(endings)
    },
  }
}
