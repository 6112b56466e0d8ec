import type { Socket } from 'node:net'
import {
  assertSchemaCompatibility,
  type BackendFactory,
  type PgPool,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
} from 'bullmq'
import pg from 'pg'
import type { PostgresAddress } from '../settings/postgres-address.ts'

/** How node-postgres reaches a database. */
export type PostgresLogin = Partial<PostgresAddress> & {
  host?: string
  user?: string
  database?: string
  options?: string
  max?: number
}

/** The schema that BullMQ uses on a pool that it is given. */
const queueSchema = 'bullmq'

/** Processes that start together prepare the queue one at a time. */
const queueLock = 4_701_225_003

const connectMsMax = 5_000
const beatMs = 5_000
const beatAnswerMsMax = 3_000

/** BullMQ on Postgres, which finds its tables however often it did not reach them before. */
export const postgresBackend: BackendFactory<PostgresQueueBackend, PgPool> = (name, opts) =>
  new LookingBackend(new LookingConnection(opts.connection), name, opts)

/**
 * Looks at the tables again where the first look failed. BullMQ remembers a failure for as long as the process lives: a
 * worker that starts while the database is away would hear of no job, and a service would ring no bell.
 */
class LookingConnection extends PostgresConnection {
  #found: Promise<void> | undefined

  override waitUntilReady(): Promise<void> {
    this.#found ??= this.#look().catch((error: unknown) => {
      this.#found = undefined
      throw error
    })
    return this.#found
  }

  async #look(): Promise<void> {
    const client = await this.pool.connect()
    try {
      await assertSchemaCompatibility(client, this.schema)
    } finally {
      client.release()
    }
  }
}

/** BullMQ's own remembers a failure too. */
class LookingBackend extends PostgresQueueBackend {
  override waitUntilReady(): Promise<void> {
    return this.connection.waitUntilReady()
  }
}

/**
 * A pool for BullMQ whose clients never throw: it borrows them without listening for their errors, and one lost connection
 * would otherwise end the process. It uses the schema that BullMQ takes where it is given a pool.
 */
export function postgresPool(login: PostgresLogin): PgPool {
  const options = [login.options, `-c search_path=${queueSchema}`]
    .filter(part => part !== undefined)
    .join(' ')
  const pool = new pg.Pool({ ...login, options, keepAlive: true, connectionTimeoutMillis: connectMsMax })
  pool.on('connect', client => {
    client.on('error', () => undefined)
    keepHeard(client)
  })
  return pool as unknown as PgPool
}

/**
 * Ends a connection that does not answer any more. TCP keeps one alive whose other end takes bytes and is gone, and a
 * worker that listens on it would hear of no job: BullMQ makes another one where it ends.
 */
function keepHeard(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  let waits = false
  const beat = setInterval(() => {
    if (waits) return
    waits = true
    const late = setTimeout(
      () => stream.destroy(new Error('the connection does not answer')),
      beatAnswerMsMax,
    )
    client
      .query('select')
      // What fails it ends the connection as well, which tells everybody.
      .catch(() => undefined)
      .finally(() => {
        waits = false
        clearTimeout(late)
      })
  }, beatMs).unref()
  client.once('end', () => clearInterval(beat))
}

/** BullMQ's tables belong to the owner role; the runtime role uses them, and makes a sequence for each queue. */
export async function migrateQueue(owner: PostgresLogin): Promise<void> {
  const client = new pg.Client(owner)
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${queueLock})`)
    await client.query(`
      create schema if not exists ${queueSchema};
      grant usage, create on schema ${queueSchema} to action_gate_runtime;
      alter default privileges in schema ${queueSchema} grant all on tables to action_gate_runtime;
      alter default privileges in schema ${queueSchema} grant all on sequences to action_gate_runtime`)
    await runMigrations(client, queueSchema)
  } finally {
    await client.end()
  }
}
