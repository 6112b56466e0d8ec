import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type postgres from 'postgres'
import { connect, connectPool, type DatabaseLocation, type Session } from './location.ts'
import { type InTransaction, inTransactionOf } from './transaction.ts'

/** A handle that can only read: its connections are read-only, so a GET cannot write by any mistake. */
export interface Reader {
  readonly kind: 'reader'
  /** Single statements. */
  readonly sql: postgres.Sql
  /** Ordinary queries, also several in one snapshot. */
  readonly db: NodePgDatabase
}

/** A handle that may write, under the runtime role. */
export interface Writer {
  readonly kind: 'writer'
  /** Single statements: each is its own transaction. */
  readonly sql: postgres.Sql
  /** Statements that belong together. */
  readonly transaction: InTransaction
  /** Ordinary queries. */
  readonly db: NodePgDatabase
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

/**
 * Open a migrated database under the runtime role. Single statements go through postgres.js, transactions through
 * node-postgres: the first does not survive the loss of a connection inside a transaction.
 */
export function openStore(location: DatabaseLocation, options: StoreOptions): Store {
  const { poolSize: size, statementMsMax } = options
  const writing = session(options, false)
  const reading = session(options, true)
  const statements = { write: connect(location, writing, size), read: connect(location, reading, size) }
  const pools = {
    write: connectPool(location, writing, { size, statementMsMax }),
    read: connectPool(location, reading, { size, statementMsMax }),
  }
  return {
    writer: {
      kind: 'writer',
      sql: statements.write,
      transaction: inTransactionOf(pools.write),
      db: drizzle({ client: pools.write }),
    },
    reader: { kind: 'reader', sql: statements.read, db: drizzle({ client: pools.read }) },
    async close() {
      await Promise.all([
        ...Object.values(statements).map(client => client.end({ timeout: 5 })),
        ...Object.values(pools).map((pool: pg.Pool) => pool.end()),
      ])
    },
  }
}

function session(options: StoreOptions, readOnly: boolean): Session {
  return {
    application_name: options.name,
    role: 'action_gate_runtime',
    search_path: 'action_gate',
    TimeZone: 'UTC',
    statement_timeout: options.statementMsMax,
    lock_timeout: lockMsMax,
    idle_in_transaction_session_timeout: options.statementMsMax,
    default_transaction_read_only: readOnly,
    plan_cache_mode: 'force_generic_plan',
  }
}

/** Whether the database answers and is migrated; reads one row of nothing. */
export async function probe(reader: Reader): Promise<void> {
  await reader.sql`select from tenants limit 0`
}
