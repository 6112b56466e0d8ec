import { setTimeout as delay } from 'node:timers/promises'
import type { LogLine, PlatformProcess } from '../support/platform/platform-process.ts'

/** A process that is started again whenever it ends, as a service manager would. */
export interface Supervised {
  name: string
  /** The line that it logged when it was ready; null while it is not. */
  ready(): LogLine | null
  /** Starts it for the first time; resolves once it is ready. */
  start(): Promise<LogLine>
  /** Ends it, waits for that, and has it started again; `ended` is called between the two. */
  restart(how: 'SIGKILL' | 'SIGTERM', ended?: () => Promise<void>): Promise<void>
  /** SIGTERM and once more after this many milliseconds, then as `restart`. */
  restartBy(signals: { again_ms: number }, ended?: () => Promise<void>): Promise<void>
  /** Log lines with this message of all its processes so far. */
  said(message: string): number
  /** SIGSTOP; what it returns is SIGCONT, for the same process. */
  suspend(): () => void
  /** For good. */
  stop(): Promise<void>
}

/** What nobody did to it. */
export interface Incident {
  name: string
  what: 'ended by itself' | 'did not end on SIGTERM'
  output: string
}

export interface Supervision {
  name: string
  spawn(): PlatformProcess
  /** What it logs when it is ready. */
  readyMessage: string
  /** What it logs before it ends by the doing of the run: that is no incident. */
  lastWords: string
  onIncident(incident: Incident): void
}

const againMs = 300
const firstTriesMax = 3
const restartTriesMax = 30
const endMsMax = 20_000

export function supervise({ name, spawn, readyMessage, lastWords, onIncident }: Supervision): Supervised {
  let child: PlatformProcess | null = null
  let readyLine: LogLine | null = null
  let stopped = false
  let ordered = false
  let again: Promise<unknown> = Promise.resolve()
  const all: PlatformProcess[] = []

  /** A start may fail because something it needs is away: that is no incident, it is tried again. */
  const start = async (triesMax: number): Promise<LogLine> => {
    for (let tries = 1; ; tries += 1) {
      if (stopped) throw new Error(`${name} was stopped`)
      ordered = false
      const started = spawn()
      child = started
      all.push(started)
      const line = await started.logged(readyMessage).then(
        ([first]) => first ?? null,
        () => null,
      )
      if (line === null) {
        started.signal('SIGKILL')
        await started.exited
        if (tries === triesMax) throw new Error(`${name} does not start\n${started.output()}`)
        await delay(againMs)
        continue
      }
      readyLine = line
      void started.exited.then(() => endedByItself(started))
      return line
    }
  }
  const endedByItself = (gone: PlatformProcess): void => {
    if (gone !== child || ordered || stopped) return
    readyLine = null
    if (gone.lines(lastWords).length === 0)
      onIncident({ name, what: 'ended by itself', output: gone.output() })
    again = start(restartTriesMax).catch(() => undefined) // it was stopped meanwhile
  }
  const end = async (how: 'SIGKILL' | 'SIGTERM', again_ms: number | null): Promise<void> => {
    ordered = true
    readyLine = null
    child?.signal(how)
    if (again_ms !== null) {
      await delay(again_ms)
      child?.signal(how)
    }
    const late = setTimeout(() => {
      if (child) onIncident({ name, what: 'did not end on SIGTERM', output: child.output() })
      child?.signal('SIGKILL')
    }, endMsMax)
    await child?.exited
    clearTimeout(late)
  }
  const restart = async (
    how: 'SIGKILL' | 'SIGTERM',
    again_ms: number | null,
    ended: () => Promise<void>,
  ): Promise<void> => {
    await again
    await end(how, again_ms)
    await ended()
    await start(restartTriesMax)
  }
  return {
    name,
    ready: () => readyLine,
    start: () => start(firstTriesMax),
    restart: (how, ended = async () => undefined) => restart(how, null, ended),
    restartBy: ({ again_ms }, ended = async () => undefined) => restart('SIGTERM', again_ms, ended),
    said: message => all.reduce((sum, each) => sum + each.lines(message).length, 0),
    suspend() {
      const suspended = child
      suspended?.signal('SIGSTOP')
      return () => suspended?.signal('SIGCONT')
    },
    async stop() {
      stopped = true
      child?.signal('SIGKILL')
      await child?.exited
    },
  }
}
