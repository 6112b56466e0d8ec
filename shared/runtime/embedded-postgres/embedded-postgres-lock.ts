import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { EmbeddedPostgresError } from '../outage.ts'

/** After its service has died, a server gets this many seconds to end. Then its directory counts as in use. */
const ORPHAN_WAIT_S = 20

const OPEN_EXCLUSIVE_DARWIN = 0x20

export interface DirectoryLock {
  /**
   * An open file that every process of the server inherits, so that its lock lasts until the last process ends.
   */
  serverDescriptor: number
  release(): void
}

/**
 * Locks the directory for this process, or throws `directory_in_use`. Both locks are kernel locks (flock), which
 * vanish with their processes, even killed ones. Process ids would not do, because a reboot or a container reuses
 * them. `service.lock` belongs to the service. `server.lock` belongs to PostgreSQL and its guard, which outlive a
 * killed service for a moment.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const service = await lockFile(join(directory, 'service.lock'), 0)
  if (service === null) {
    const message = `The embedded database in ${directory} is in use by another process. Stop that one, or give this one a directory of its own.`
    throw new EmbeddedPostgresError('directory_in_use', message)
  }
  const server = await lockFile(join(directory, 'server.lock'), ORPHAN_WAIT_S)
  if (server === null) {
    closeSync(service)
    const message = `A PostgreSQL server of an earlier run still works in ${directory} and did not end within ${ORPHAN_WAIT_S} s. Wait for it, or send SIGINT to the process named in the first line of ${join(directory, 'postgres', 'postmaster.pid')}.`
    throw new EmbeddedPostgresError('directory_in_use', message)
  }
  const release = () => {
    closeSync(server)
    closeSync(service)
  }
  return { serverDescriptor: server, release }
}

async function lockFile(path: string, waitSeconds: number): Promise<number | null> {
  return process.platform === 'darwin' ? openLocked(path, waitSeconds) : openAndLock(path, waitSeconds)
}

/**
 * Locks a file with flock(1). The lock belongs to the open file, which flock inherits, so it lasts as long as this
 * process.
 */
async function openAndLock(path: string, waitSeconds: number): Promise<number | null> {
  const descriptor = openSync(path, 'a', 0o600)
  try {
    const status = await flock(descriptor, waitSeconds)
    if (status === 0) return descriptor
    if (status !== 1) throw new Error(`flock on ${path} ended with status ${status}`)
    closeSync(descriptor)
    return null
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

async function flock(descriptor: number, waitSeconds: number): Promise<number | null> {
  const patience = waitSeconds === 0 ? ['--nonblock'] : ['--timeout', String(waitSeconds)]
  const child: ChildProcess = spawn('flock', [...patience, '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
  })
  try {
    const [status] = (await once(child, 'exit')) as [number | null]
    return status
  } catch (cause) {
    const message =
      'The program "flock" is needed to guard the directory of the embedded database: install the package util-linux, or set DATABASE_URL.'
    throw new EmbeddedPostgresError('unsupported_platform', message, { cause })
  }
}

async function openLocked(path: string, waitSeconds: number): Promise<number | null> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | OPEN_EXCLUSIVE_DARWIN
  const deadline = AbortSignal.timeout(waitSeconds * 1000)
  for (;;) {
    try {
      return openSync(path, flags, 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      if (waitSeconds === 0 || deadline.aborted) return null
      await setTimeout(20)
    }
  }
}
