import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { repositoryRoot } from '../repository-root.ts'

export interface Child {
  process: ChildProcess
  /** The lines that it writes on standard output, parsed as JSON, one a call; rejects when there is no more. */
  nextLine(): Promise<Record<string, string>>
  /** Resolves when it is gone. */
  ended: Promise<number | null>
}

/** Runs a compiled source of this repository as a process of its own; `source` as in `test/support/x.ts`. */
export function runCompiled(source: string, parameters: string[]): Child {
  const program = join(repositoryRoot, 'dist', source.replace(/\.ts$/, '.js'))
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${source} ended without a further line`)
    return JSON.parse(value) as Record<string, string>
  }
  return { process: child, nextLine, ended }
}
