import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { serverAccount } from './embedded-postgres-account.ts'
import { embeddedPostgresBinaries } from './embedded-postgres-binaries.ts'
import { type ClusterOptions, ensureCluster } from './embedded-postgres-cluster.ts'
import { type Guarded, spawnGuarded } from './embedded-postgres-guard.ts'
import { type EmbeddedPostgresHome, openHome, startFailed } from './embedded-postgres-home.ts'

/** A start may take this long, because recovery after a crash may replay a gigabyte of log. */
const START_MS_MAX = 120_000
const POLL_MS = 10

export interface EmbeddedPostgresOptions {
  /** The directory of the database; null for a temporary database that ends with this process. */
  directory: string | null
  /** False only in tests, because a crash of the machine may then lose or damage the data. */
  durable: boolean
  maxConnections?: number
  parent?: string
}

export interface EmbeddedPostgres {
  /**
   * The directory to pass as `host`. A process that may enter the directory can connect as any user without a
   * password.
   */
  socketDirectory: string
  superuser: 'postgres'
  dataDirectory: string
  /** Disconnects all clients, stops the server and unlocks the directory. Call `stop` even after `exited`. */
  stop(): Promise<void>
  /** Resolves with the exit status if the server ends without `stop`; null if the status is unknown. */
  exited: Promise<number | null>
}

/**
 * Starts the real PostgreSQL from an npm package, as a child process that cannot outlive this one. Throws an
 * EmbeddedPostgresError, with `directory_in_use` at once if another process uses the directory.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = await serverAccount()
  const binaries = await embeddedPostgresBinaries(account)
  const home = await openHome(options.directory, account, options.parent)
  try {
    const cluster = { binaries, account, home, durable: options.durable }
    await ensureCluster(cluster)
    const server = await startServer(cluster, options.maxConnections ?? 100)
    return supervise(server, home)
  } catch (error) {
    await home.close()
    throw error
  }
}

async function startServer(cluster: ClusterOptions, maxConnections: number): Promise<Guarded> {
  const { binaries, account, home } = cluster
  const server = spawnGuarded({
    command: [join(binaries, 'postgres'), ...serverParameters(cluster, maxConnections)],
    account,
    logDescriptor: home.log.descriptor,
    lockDescriptor: home.lockDescriptor,
    temporaryDirectory: home.temporaryDirectory,
  })
  if (await becomesReady(server, join(home.dataDirectory, 'postmaster.pid'))) return server
  await server.stop()
  throw await startFailed(home, 'The embedded PostgreSQL did not start')
}

function serverParameters({ home, durable }: ClusterOptions, maxConnections: number): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: home.temporaryDirectory,
    max_connections: maxConnections,
    shared_buffers: '64MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The server logs starts, stops and crashes but no statements, so that no user data gets into the log.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    // A server without replicas needs fewer processes, and starts in half the time without them.
    io_method: 'sync',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', home.dataDirectory, ...parameters]
}

/** Waits until the server is ready. PostgreSQL writes this into line 8 of postmaster.pid. */
async function becomesReady(server: Guarded, processFile: string): Promise<boolean> {
  const tooLate = AbortSignal.timeout(START_MS_MAX)
  let ended = false
  const noteEnd = () => {
    ended = true
  }
  const end = server.ended.then(noteEnd, noteEnd)
  while (!ended && !tooLate.aborted) {
    if ((await stateIn(processFile)) === 'ready') return true
    await Promise.race([end, setTimeout(POLL_MS)])
  }
  return false
}

async function stateIn(processFile: string): Promise<string | undefined> {
  try {
    return (await readFile(processFile, 'utf8')).split('\n')[7]?.trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function supervise(server: Guarded, home: EmbeddedPostgresHome): EmbeddedPostgres {
  let stopping: Promise<void> | null = null
  const exited = new Promise<number | null>((resolve, reject) => {
    server.ended.then(status => {
      if (stopping === null) resolve(status)
    }, reject)
  })
  const shutDown = async () => {
    await server.stop()
    await home.close()
  }
  return {
    socketDirectory: home.temporaryDirectory,
    superuser: 'postgres',
    dataDirectory: home.dataDirectory,
    exited,
    stop() {
      stopping ??= shutDown()
      return stopping
    },
  }
}
