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

/** An advisory lock, so that processes that start together prepare the queue one at a time. */
const queueLock = 4_701_225_003

const connectMsMax = 5_000
const beatMs = 5_000
const beatAnswerMsMax = 3_000

/** Creates BullMQ's backend on Postgres, which looks for its tables again after each failure. */
export const postgresBackend: BackendFactory<PostgresQueueBackend, PgPool> = (name, opts) =>
  new LookingBackend(new LookingConnection(opts.connection), name, opts)

/**
 * Checks the tables again after a failed check. BullMQ remembers a failure for the life of the process, so a
 * worker that starts during an outage would receive no wake-up and a service would send none.
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
 * Creates a pool for BullMQ whose clients never throw. BullMQ borrows them without a listener for errors, so one
 * lost connection would otherwise end the process. The pool uses BullMQ's default schema.
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
 * Ends a connection that no longer answers. TCP keeps a connection whose peer takes bytes but is dead, so a worker
 * that listens on it would receive no wake-up; BullMQ opens a new connection once the old one ends.
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

/** Prepares BullMQ's tables for the owner role. The runtime role uses them and creates a sequence per queue. */
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
