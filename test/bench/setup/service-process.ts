import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { spawnGuarded } from '../../../shared/runtime/embedded-postgres/embedded-postgres-guard.ts'
import { nodeFlags } from '../../support/platform/node-flags.ts'

export interface ServiceProcess {
  /** The first group of a line that it wrote; waits for it. */
  written(line: RegExp): Promise<string>
  stop(): Promise<void>
}

export interface ServiceCommand {
  /** The repository, or a copy of it that was built. */
  root: string
  /** A program of the built tree, such as `api/bin/service.js`. */
  program: string
  flags: readonly string[]
  environment: Readonly<Record<string, string>>
  /** A directory for what it writes. */
  directory: string
}

const startMsMax = 30_000
const pollMs = 5

/**
 * Starts the service as its users do. What it writes goes to a file; it ends with this process, whatever ends that.
 */
export async function startServiceProcess(command: ServiceCommand): Promise<ServiceProcess> {
  const directory = await mkdtemp(join(command.directory, 'process-'))
  const log = join(directory, 'log')
  const logDescriptor = openSync(log, 'w')
  const variables = Object.entries(command.environment).map(([name, value]) => `${name}=${value}`)
  const guarded = spawnGuarded({
    command: [
      'env',
      ...variables,
      process.execPath,
      ...nodeFlags,
      join(command.root, 'dist', command.program),
      ...command.flags,
    ],
    account: null,
    logDescriptor,
    lockDescriptor: null,
    temporaryDirectory: directory,
  })
  closeSync(logDescriptor)
  let ended = false
  guarded.ended.then(
    () => {
      ended = true
    },
    () => {
      ended = true
    },
  )
  return {
    async written(line) {
      const tooLate = AbortSignal.timeout(startMsMax)
      for (;;) {
        const text = await readFile(log, 'utf8')
        const found = line.exec(text)?.[1]
        if (found !== undefined) return found
        if (ended || tooLate.aborted) throw new Error(`${command.program} did not start. It wrote:\n${text}`)
        await setTimeout(pollMs)
      }
    },
    stop: guarded.stop,
  }
}
