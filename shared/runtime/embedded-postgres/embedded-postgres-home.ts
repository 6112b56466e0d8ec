import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { EmbeddedPostgresError } from '../outage.ts'
import { mayUse, type ServerAccount } from './embedded-postgres-account.ts'
import { type DirectoryLock, lockDirectory } from './embedded-postgres-lock.ts'

/** The limit of a socket path that every system allows, without the final NUL (macOS 104 bytes, Linux 108). */
const SOCKET_PATH_BYTES_MAX = 103

const LOG_LINES_TOLD = 8
const SERVER_ALREADY_THERE = /lock file "postmaster\.pid" already exists|pre-existing shared memory block/

interface ServerLog {
  path: string
  descriptor: number
  start: number
}

export interface EmbeddedPostgresHome {
  dataDirectory: string
  log: ServerLog
  /** A private directory with a short path. It holds the socket, and all files of a temporary database. */
  temporaryDirectory: string
  /** The descriptor that every process of the server must inherit; null for a temporary database. */
  lockDescriptor: number | null
  close(): Promise<void>
}

/**
 * Opens the directory, or a temporary one if it is null. Temporary files go into `parent` if the account may write
 * there. Throws `directory_in_use` and `directory_unusable`.
 */
export async function openHome(
  directory: string | null,
  account: ServerAccount | null,
  parent?: string,
): Promise<EmbeddedPostgresHome> {
  const lock = directory === null ? null : await openPersistent(resolve(directory), account)
  try {
    const temporaryDirectory = await makeTemporary(account, parent)
    const base = directory === null ? temporaryDirectory : resolve(directory)
    const log = openLog(join(base, 'postgres.log'))
    const close = async () => {
      closeSync(log.descriptor)
      await rm(temporaryDirectory, { recursive: true, force: true })
      lock?.release()
    }
    const dataDirectory = join(base, 'postgres')
    const lockDescriptor = lock?.serverDescriptor ?? null
    return { dataDirectory, log, temporaryDirectory, lockDescriptor, close }
  } catch (error) {
    lock?.release()
    throw error
  }
}

export async function startFailed(home: EmbeddedPostgresHome, what: string): Promise<EmbeddedPostgresError> {
  const written = (await readFile(home.log.path)).subarray(home.log.start).toString()
  const last = written.trim().split('\n').slice(-LOG_LINES_TOLD)
  const code = SERVER_ALREADY_THERE.test(written) ? 'directory_in_use' : 'start_failed'
  return new EmbeddedPostgresError(code, `${what}. It wrote:\n${last.join('\n')}`)
}

export function unusable(directory: string, reason: string, cause?: unknown): EmbeddedPostgresError {
  const message = `The directory ${directory} cannot hold the embedded database: ${reason}.`
  return new EmbeddedPostgresError('directory_unusable', message, { cause })
}

function openLog(path: string): ServerLog {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const descriptor = openSync(path, flags, 0o600)
  return { path, descriptor, start: fstatSync(descriptor).size }
}

async function openPersistent(directory: string, account: ServerAccount | null): Promise<DirectoryLock> {
  try {
    await makeTraversable(directory)
  } catch (cause) {
    throw unusable(directory, cause instanceof Error ? cause.message : String(cause), cause)
  }
  if (!(await mayUse(directory, account, 'enter'))) {
    const who =
      account === null
        ? 'the account of the service'
        : 'the account "nobody", which PostgreSQL runs under when the service is root,'
    const advice = 'Choose another directory, for example /var/lib/action-gate'
    throw unusable(directory, `${who} may not enter it or one of its parents. ${advice}`)
  }
  try {
    return await lockDirectory(directory)
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause
    throw unusable(directory, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

/** Creates missing directories with mode 0755 despite the umask, so that PostgreSQL's account can pass through. */
async function makeTraversable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o755 })
    await chmod(directory, 0o755)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    await makeTraversable(dirname(directory))
    await makeTraversable(directory)
  }
}

async function makeTemporary(account: ServerAccount | null, wanted = tmpdir()): Promise<string> {
  const candidates = [...new Set([wanted, tmpdir(), '/tmp', '/var/tmp'])]
  for (const parent of candidates) {
    const socketPath = join(parent, 'action-gate-XXXXXX', '.s.PGSQL.5432')
    if (Buffer.byteLength(socketPath) > SOCKET_PATH_BYTES_MAX) continue
    if (!(await mayUse(parent, account, 'enter and write'))) continue
    const made = await mkdtemp(join(parent, 'action-gate-'))
    if (account !== null) await chown(made, account.uid, account.gid)
    return made
  }
  const message = `PostgreSQL needs a temporary directory that its account may write to and whose path is short; none of ${candidates.join(', ')} will do. Point TMPDIR to one.`
  throw new EmbeddedPostgresError('directory_unusable', message)
}
