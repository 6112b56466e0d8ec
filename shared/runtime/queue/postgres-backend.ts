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

export type PostgresLogin = Partial<PostgresAddress> & {
  host?: string
  user?: string
  database?: string
  options?: string
  max?: number
}

const queueSchema = 'bullmq'

/** The number of an advisory lock. Processes that start together prepare the queue one at a time. */
const queueLock = 4_701_225_003

const connectMsMax = 5_000
const beatMs = 5_000
const beatAnswerMsMax = 3_000

/** Creates BullMQ's backend on Postgres, changed to check for its tables again after a failed check. */
export const postgresBackend: BackendFactory<PostgresQueueBackend, PgPool> = (name, opts) =>
  new LookingBackend(new LookingConnection(opts.connection), name, opts)

/**
 * Checks the tables again after a failed check. BullMQ would remember the failure for the life of the process. A
 * worker that starts during an outage would then receive no wake-up, and a service would send none.
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

class LookingBackend extends PostgresQueueBackend {
  override waitUntilReady(): Promise<void> {
    return this.connection.waitUntilReady()
  }
}

/**
 * Creates a pool for BullMQ with a listener for errors on each client. BullMQ sets no listener, so a lost
 * connection would otherwise end the process. The pool uses BullMQ's default schema.
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
 * Ends a connection that no longer answers, so that BullMQ opens a new one. TCP does not notice a dead peer that
 * still takes bytes, and a worker on such a connection would receive no wake-up.
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
      // A failed query also ends the connection, so its own error needs no handling.
      .catch(() => undefined)
      .finally(() => {
        waits = false
        clearTimeout(late)
      })
  }, beatMs).unref()
  client.once('end', () => clearInterval(beat))
}

/**
 * Prepares BullMQ's tables as the owner role. The runtime role uses the tables and creates a sequence per queue.
 */
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
