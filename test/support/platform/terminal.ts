import { spawn } from 'node:child_process'
import { repositoryRoot } from '../repository-root.ts'

/** A command on a terminal of its own, as a person runs it: Ctrl-C there reaches all of its processes. */
export interface Terminal {
  /** The first group of a pattern in what it has written, as soon as it is there. */
  printed(pattern: RegExp): Promise<string>
  /** Presses the keys of a line, and Enter. */
  enter(line: string): void
  pressCtrlC(): void
  /** The status of the command, or null where a signal ended the terminal. */
  exited: Promise<number | null>
  output(): string
  /** Take the terminal away: what runs there is hung up. */
  close(): Promise<void>
}

/** Runs a command of the shell in the repository, on a pseudo-terminal of util-linux. */
export function openTerminal(command: string, environment: Readonly<Record<string, string>> = {}): Terminal {
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SHELL: '/bin/sh', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let written = ''
  // A key that is pressed while the program ends comes to nobody.
  child.stdin.on('error', () => undefined)
  let ended = false
  const watchers = new Set<() => void>()
  const tell = () => {
    for (const watcher of [...watchers]) watcher()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
    tell()
  })
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      ended = true
      tell()
      resolve(code)
    })
  })
  return {
    exited,
    output: () => written,
    printed: pattern =>
      new Promise((resolve, reject) => {
        const look = () => {
          const [, found] = pattern.exec(written) ?? []
          if (found === undefined && !ended) return
          watchers.delete(look)
          if (found === undefined) reject(new Error(`it ended without ${pattern}\n${written}`))
          else resolve(found)
        }
        watchers.add(look)
        look()
      }),
    enter: line => void child.stdin.write(`${line}\r`),
    pressCtrlC: () => void child.stdin.write('\u0003'),
    async close() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
