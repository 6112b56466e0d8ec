import { chown, mkdir, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EmbeddedPostgresError } from '../outage.ts'
import type { ServerAccount } from './embedded-postgres-account.ts'
import { spawnGuarded } from './embedded-postgres-guard.ts'
import { type EmbeddedPostgresHome, startFailed, unusable } from './embedded-postgres-home.ts'

const MAJOR_VERSION = '18'

export interface ClusterOptions {
  binaries: string
  account: ServerAccount | null
  home: EmbeddedPostgresHome
  durable: boolean
}

export async function ensureCluster(options: ClusterOptions): Promise<void> {
  const { home, account } = options
  const owner = await ownerOf(home.dataDirectory)
  if (owner === null) return createCluster(options)
  const expected = account?.uid ?? process.getuid?.()
  if (owner !== expected) {
    const reason = `it belongs to the user with id ${owner}, and this service would run PostgreSQL as ${expected}. Start the service under the account that made it, or choose another directory`
    throw unusable(home.dataDirectory, reason)
  }
  await checkVersion(home)
  await clearStaleProcessFile(home)
}

/** Runs initdb in a temporary directory and then renames it, so that a killed run can simply be repeated. */
async function createCluster({ binaries, account, home, durable }: ClusterOptions): Promise<void> {
  const half = `${home.dataDirectory}.half`
  await rm(half, { recursive: true, force: true })
  await mkdir(half, { mode: 0o700 })
  if (account !== null) await chown(half, account.uid, account.gid)
  const { ended } = spawnGuarded({
    command: [join(binaries, 'initdb'), ...initdbParameters(half, durable)],
    account,
    logDescriptor: home.log.descriptor,
    lockDescriptor: home.lockDescriptor,
    temporaryDirectory: home.temporaryDirectory,
  })
  const status = await ended
  if (status !== 0) throw await startFailed(home, `initdb ended with status ${status}`)
  await rename(half, home.dataDirectory)
  if (durable) await syncDirectory(dirname(home.dataDirectory))
}

function initdbParameters(directory: string, durable: boolean): string[] {
  const collation = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const parameters = [
    '-D',
    directory,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--no-instructions',
    ...collation,
  ]
  return durable ? parameters : [...parameters, '--no-sync']
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

async function checkVersion(home: EmbeddedPostgresHome): Promise<void> {
  const found = await readIfThere(join(home.dataDirectory, 'PG_VERSION'))
  if (found === null) throw unusable(home.dataDirectory, 'it is no PostgreSQL data directory')
  if (found.trim() === MAJOR_VERSION) return
  throw unusable(
    home.dataDirectory,
    `it was made by PostgreSQL ${found.trim()}, and this one is ${MAJOR_VERSION}`,
  )
}

/**
 * Removes the postmaster.pid that a crash left. PostgreSQL would refuse to start if another process had reused its
 * process id, which is common in containers. Our locks show that no server of ours is running. The file stays if
 * its process is a server that a person started by hand.
 */
async function clearStaleProcessFile(home: EmbeddedPostgresHome): Promise<void> {
  if (process.platform !== 'linux') return // Systems without /proc rely on PostgreSQL's own check.
  const path = join(home.dataDirectory, 'postmaster.pid')
  const [pid] = (await readIfThere(path))?.split('\n') ?? []
  if (pid === undefined) return
  if (await worksIn(pid, home.dataDirectory)) {
    const message = `The embedded database in ${home.dataDirectory} is in use by a PostgreSQL server, process ${pid}. Stop it first.`
    throw new EmbeddedPostgresError('directory_in_use', message)
  }
  await rm(path, { force: true })
}

/**
 * Returns true if the working directory of the process is this one, because a server works in its data directory.
 */
async function worksIn(pid: string, directory: string): Promise<boolean> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(directory))
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code)))
      return false
    throw error
  }
}

async function ownerOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).uid
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
