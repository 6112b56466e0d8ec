import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { plantSecret, publishLog } from '../audit/kept-logs.ts'
import { repositoryRoot } from '../repository-root.ts'
import { nodeFlags } from './node-flags.ts'

/** A line of the JSON log of a process. */
export type LogLine = { msg: string } & Record<string, unknown>

/** A compiled program of this repository as a process of its own. */
export interface PlatformProcess {
  pid: number
  /** The first `count` log lines with this message, as soon as there are so many. */
  logged(message: string, count?: number): Promise<LogLine[]>
  /** Every log line with this message so far. */
  lines(message: string): LogLine[]
  /** Does nothing once the process has ended: its number may be another's by then. */
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void
  exited: Promise<Exit>
  /** The first group of a pattern in what it writes on standard output. */
  printed(pattern: RegExp): Promise<string>
  /** The end of what it has written, for the reader of a failed test. */
  output(): string
}

/** How a process ended: one of the two is null. */
export interface Exit {
  code: number | null
  signal: string | null
}

export interface Program {
  /** As it is called in a failed test. */
  name: string
  /** Compiled file below `dist`. */
  file: string
  flags: readonly string[]
  environment: Readonly<Record<string, string>>
}

const logWaitMsMax = 60_000
const shownLinesMax = 100

export function startProcess({ name, file, flags, environment }: Program): PlatformProcess {
  const program = [...nodeFlags, join(repositoryRoot, 'dist', file), ...flags]
  const child = spawn(process.execPath, program, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} could not be started`)
  const written: { stdout: string[]; stderr: string[] } = { stdout: [], stderr: [] }
  const log: LogLine[] = []
  const kept = publishLog(name)
  for (const [variable, secret] of Object.entries(environment)) {
    if (/^ACTUATOR_.*(?<!_FILE)$/.test(variable)) plantSecret(secret)
  }
  const watchers = new Set<() => void>()
  let exit: Exit | null = null

  const wakeWatchers = () => {
    for (const again of [...watchers]) again()
  }
  createInterface({ input: child.stdout }).on('line', line => {
    written.stdout.push(line)
    wakeWatchers()
  })
  createInterface({ input: child.stderr }).on('line', line => {
    written.stderr.push(line)
    kept.write(`${line}\n`)
    if (line.startsWith('{')) log.push(JSON.parse(line) as LogLine)
    wakeWatchers()
  })
  const exited = new Promise<Exit>(resolve => {
    child.once('close', (code, signal) => {
      exit = { code, signal }
      wakeWatchers()
      resolve(exit)
    })
  })
  const output = () =>
    [`--- ${name} (process ${pid})`, ...written.stdout, ...written.stderr.slice(-shownLinesMax)].join('\n')

  /** What `look` finds, as soon as it finds something in what was written. */
  const found = <Found>(what: string, look: () => Found | null) =>
    new Promise<Found>((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(late)
        watchers.delete(again)
        settle()
      }
      const fail = (why: string) => end(() => reject(new Error(`${name} ${why} ${what}\n${output()}`)))
      const again = () => {
        const seen = look()
        if (seen !== null) end(() => resolve(seen))
        else if (exit !== null) fail(`ended with ${JSON.stringify(exit)} before`)
      }
      const late = setTimeout(() => fail(`did not write within ${logWaitMsMax} ms`), logWaitMsMax)
      watchers.add(again)
      again()
    })

  return {
    pid,
    exited,
    output,
    signal(which) {
      if (exit === null && child.exitCode === null && child.signalCode === null) process.kill(pid, which)
    },
    logged: (message, count = 1) =>
      found(`"${message}" ${count} times`, () => {
        const lines = log.filter(line => line.msg === message)
        return lines.length < count ? null : lines.slice(0, count)
      }),
    lines: message => log.filter(line => line.msg === message),
    printed: pattern => found(String(pattern), () => pattern.exec(written.stdout.join('\n'))?.[1] ?? null),
  }
}
