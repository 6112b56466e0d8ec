import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../shared/runtime/embedded-postgres/embedded-postgres.ts'
import { openSmallDisk, type SmallDisk } from './small-disk.ts'

/** A Postgres of this run only, with fsync, made to be killed. */
export interface OwnPostgres {
  /** The path of its socket now; another one after each restart. */
  socket(): string
  /** SIGQUIT is what `pg_ctl restart -m immediate` sends; after SIGKILL its processes are orphans for a moment. */
  end(how: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** Starts it again on the same data. */
  restart(): Promise<void>
  /** A superuser's look past the service and past the links; rejects while it is away. */
  look<Row extends object>(text: string, values?: (string | null)[]): Promise<Row[]>
  /** Where its tables are, while its log of writes is elsewhere; null where no such thing can be made. */
  disk: SmallDisk | null
  stop(): Promise<void>
}

const database = 'chaos'
export const databaseUrl = (port: number): string => `postgres://postgres@127.0.0.1:${port}/${database}`
const connectionsMax = 400
const lookMsMax = 1_500

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-chaos-postgres-'))
  await chmod(directory, 0o755) // PostgreSQL's account, another one where this is root, must get through
  const start = () => startEmbeddedPostgres({ directory, durable: true, maxConnections: connectionsMax })
  let server: EmbeddedPostgres = await start()
  const disk = await openSmallDisk(server.dataDirectory)
  const own: OwnPostgres = {
    disk,
    socket: () => join(server.socketDirectory, '.s.PGSQL.5432'),
    async end(how) {
      const [pid] = (await readFile(join(server.dataDirectory, 'postmaster.pid'), 'utf8')).split('\n')
      process.kill(Number(pid), how)
      await server.exited
    },
    async restart() {
      await server.stop()
      server = await start()
    },
    look: (text, values = []) => look(server, database, text, values),
    async stop() {
      await server.stop()
      await disk?.remove()
      await rm(directory, { recursive: true, force: true })
    },
  }
  if (disk) await look(server, 'postgres', `create tablespace small location '${disk.directory}'`, [])
  const place = disk ? ' tablespace small' : ''
  await look(server, 'postgres', `create database ${database}${place}`, [])
  return own
}

/** Whether a look failed because the server is down, starting or ending, and not because of what was asked. */
export function isAway(error: unknown): boolean {
  return !(error instanceof postgres.PostgresError) || error.code.startsWith('57')
}

async function look<Row extends object>(
  { socketDirectory, superuser }: EmbeddedPostgres,
  name: string,
  text: string,
  values: (string | null)[],
): Promise<Row[]> {
  const sql = postgres({
    host: socketDirectory,
    user: superuser,
    database: name,
    max: 1,
    connect_timeout: lookMsMax / 1_000,
    fetch_types: false,
    onnotice: () => undefined,
  })
  try {
    return [...(await sql.unsafe<Row[]>(text, values))]
  } finally {
    await sql.end({ timeout: 0 })
  }
}
