import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import { type ConnectionOptions, connect, type DatabaseLocation } from './location.ts'

/** A handle that can only read: its connections are read-only, so a GET cannot write by any mistake. */
export interface Reader {
  readonly kind: 'reader'
  readonly sql: postgres.Sql
  readonly db: PostgresJsDatabase
}

/** A handle that may write, under the runtime role. */
export interface Writer {
  readonly kind: 'writer'
  readonly sql: postgres.Sql
  readonly db: PostgresJsDatabase
}

export interface Store {
  reader: Reader
  writer: Writer
  close(): Promise<void>
}

export interface StoreOptions {
  poolSize: number
  /** Bound of a statement on the server, in milliseconds. */
  statementMsMax: number
  name: string
}

const lockMsMax = 3_000

/** Open a migrated database under the runtime role, with a pool for writing and a read-only pool for reading. */
export function openStore(location: DatabaseLocation, options: StoreOptions): Store {
  const writing = connect(location, pool(options, false))
  const reading = connect(location, pool(options, true))
  return {
    writer: { kind: 'writer', sql: writing, db: drizzle(writing) },
    reader: { kind: 'reader', sql: reading, db: drizzle(reading) },
    async close() {
      await Promise.all([writing.end({ timeout: 5 }), reading.end({ timeout: 5 })])
    },
  }
}

function pool(options: StoreOptions, readOnly: boolean): ConnectionOptions {
  return {
    max: options.poolSize,
    fetch_types: false,
    connection: {
      application_name: options.name,
      role: 'action_gate_runtime',
      search_path: 'action_gate',
      TimeZone: 'UTC',
      statement_timeout: options.statementMsMax,
      lock_timeout: lockMsMax,
      idle_in_transaction_session_timeout: options.statementMsMax,
      default_transaction_read_only: readOnly,
    },
  }
}

/** Whether the database answers and is migrated; reads one row of nothing. */
export async function probe(reader: Reader): Promise<void> {
  await reader.sql`select from tenants limit 0`
}
