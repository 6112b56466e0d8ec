import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { connect, connectPool, type DatabaseLocation, type Session } from './location.ts'
import { UnfitDatabase } from './schema-state.ts'
import { openSingleStatements } from './single-statements.ts'
import { gaveWay, inTransaction, type Statements, scopeStatement, type Transaction } from './transaction.ts'

/** The tenants whose rows a transaction may see and write; `all` is for the process itself, never for a request. */
export type Scope = readonly string[] | 'all'

/** Statements that can only read, and only the rows of their scope. */
export interface Reader extends Statements {
  readonly kind: 'reader'
}

/** Statements of one transaction that may write the rows of its scope, under the runtime role. */
export interface Writer extends Pick<Transaction, 'query' | 'last' | 'ahead'> {
  readonly kind: 'writer'
}

/** What a transaction begins with: it reads and locks in the scope of everything, and rejects where nothing may follow. */
export type Hold = (writer: Writer) => Promise<void>

/** Ordinary queries inside a transaction of a scope. */
export type Query = NodePgDatabase

/**
 * A database under the runtime role. Every access has a scope: the queries name their tenant, and
 * row-level security refuses the rest even where a query forgets to.
 */
export interface Store {
  /** In one snapshot for tenants; for the process itself each statement stands alone. */
  read<Answer>(scope: Scope, work: (reader: Reader) => Promise<Answer>): Promise<Answer>
  write<Answer>(scope: Scope, work: (writer: Writer) => Promise<Answer>): Promise<Answer>
  /** Each statement is a transaction of its own, and one round trip. */
  readEach(scope: Scope): Reader
  /** Ordinary reading, in one snapshot. */
  look<Answer>(scope: Scope, work: (query: Query) => Promise<Answer>): Promise<Answer>
  /** Ordinary writing; its work is done again where PostgreSQL ended the transaction in favour of another one. */
  change<Answer>(scope: Scope, work: (query: Query) => Promise<Answer>): Promise<Answer>
  /** The same database and its connections, where every transaction that may write begins with `hold`. */
  under(hold: Hold): Store
  /** Connections in use now, and callers that wait for one. */
  use(): Record<'transactions' | 'statements', ConnectionUse>
  close(): Promise<void>
}

export interface ConnectionUse {
  size: number
  in_use: number
  waiting: number
}

export interface StoreOptions {
  /** Connections for transactions, and as many for the process's own single statements. */
  poolSize: number
  /** Bound of a statement on the server, in milliseconds. */
  statementMsMax: number
  name: string
  /** Whether an error says that the database was not reached, whatever was asked of it. */
  isLost(error: unknown): boolean
  /** A test wants a moment between writing and committing. */
  commitApart?: boolean
}

const lockMsMax = 3_000
const everyTenant = '*'

/**
 * Open a migrated database under the runtime role. Single statements go through postgres.js, transactions through
 * node-postgres: the first does not survive the loss of a connection inside a transaction.
 */
export function openStore(location: DatabaseLocation, options: StoreOptions): Store {
  const { poolSize: size, statementMsMax } = options
  const pool = connectPool(location, session(options), { size, statementMsMax })
  const ofAll = { default_transaction_read_only: true, 'action_gate.tenants': everyTenant }
  const statements = openSingleStatements(
    () => connect(location, { ...session(options), ...ofAll }, size),
    options,
  )
  const own: Reader = { kind: 'reader', query: statements.query }
  const { commitApart = false } = options
  const inScope = async <Answer>(
    scope: Scope,
    readOnly: boolean,
    work: (transaction: Transaction) => Promise<Answer>,
  ): Promise<Answer> => inTransaction(pool, { tenants: tenantsIn(scope), readOnly, commitApart }, work)
  const store: Store = {
    read: (scope, work) =>
      scope === 'all' ? work(own) : inScope(scope, true, ({ query }) => work({ kind: 'reader', query })),
    write: (scope, work) =>
      inScope(scope, false, ({ query, last, ahead }) => work({ kind: 'writer', query, last, ahead })),
    readEach: scope => ({
      kind: 'reader',
      query: (...statement) => inScope(scope, true, ({ last }) => last(...statement)),
    }),
    look: (scope, work) =>
      inScope(scope, true, async ({ client }) => work(drizzle({ client: await client() }))),
    change: (scope, work) =>
      repeated(() => inScope(scope, false, async ({ client }) => work(drizzle({ client: await client() })))),
    under: hold => ({
      ...store,
      write: (scope, work) =>
        repeated(() => inScope(scope, false, async held => work(await begun(held, scope, hold)))),
      change: (scope, work) =>
        repeated(() =>
          inScope(scope, false, async held => {
            await begun(held, scope, hold)
            return work(drizzle({ client: await held.client() }))
          }),
        ),
    }),
    use: () => ({
      transactions: {
        size,
        in_use: pool.totalCount - pool.idleCount,
        waiting: pool.waitingCount,
      },
      statements: {
        size,
        in_use: Math.min(statements.underWay(), size),
        waiting: Math.max(0, statements.underWay() - size),
      },
    }),
    async close() {
      await Promise.all([statements.close(), pool.end()])
    },
  }
  return store
}

const timesMax = 4

/** Do again what PostgreSQL ended in favour of another transaction, which has then gone on: nothing of it was kept. */
async function repeated<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (let time = 1; ; time++) {
    try {
      return await work()
    } catch (error) {
      if (time === timesMax || !gaveWay(error)) throw error
    }
  }
}

/** Begin with what is held, which belongs to whoever asks and to no tenant; the rest has its scope. */
async function begun({ query, last, ahead }: Transaction, scope: Scope, hold: Hold): Promise<Writer> {
  const writer: Writer = { kind: 'writer', query, last, ahead }
  ahead(scopeStatement.name, scopeStatement.text, [everyTenant])
  await hold(writer)
  ahead(scopeStatement.name, scopeStatement.text, [tenantsIn(scope)])
  return writer
}

/**
 * Rejects unless the database answers, is migrated, takes writes, and both pools have the sessions that they asked for: what
 * is only read takes no proposal and no decision, and a scope that was lost on the way finds no key.
 */
export async function probe(store: Store): Promise<void> {
  const [[own], [held]] = await Promise.all([
    store.read('all', reader => reader.query<ProbedSession>('probe', probeText, [])),
    store.write('all', writer => writer.query<ProbedSession>('probe', probeText, [])),
  ])
  const lost = Object.entries(askedSession).flatMap(([name, value]) =>
    [own, held].every(session => session?.[name as keyof ProbedSession] === value) ? [] : [name],
  )
  if (lost.length > 0)
    throw new UnfitDatabase(
      `its sessions lost ${lost.join(', ')}: what stands between, such as a pooler, must pass on the settings that a connection begins with (api/docs/deploy.md#poolers)`,
    )
  if (held?.read_only !== false) throw new UnfitDatabase('it takes no writes')
}

/** What a lost session would be without, as the probe reads it: rights, names, times, plans and the scope. */
const askedSession = {
  role: 'action_gate_runtime',
  search_path: 'action_gate',
  TimeZone: 'UTC',
  plan_cache_mode: 'force_generic_plan',
  tenants: everyTenant,
} as const

type ProbedSession = Record<keyof typeof askedSession, string | null> & { read_only: boolean }

const probeText = `
  select current_user as role, current_setting('search_path') as search_path, current_setting('TimeZone') as "TimeZone",
    current_setting('plan_cache_mode') as plan_cache_mode, current_setting('action_gate.tenants', true) as tenants,
    current_setting('transaction_read_only')::bool as read_only
  from (select) as one left join (select from action_gate.tenants limit 0) as migrated on true`

/** What row-level security looks at: set with the begin of every transaction, so that none can do without. */
function tenantsIn(scope: Scope): string {
  return scope === 'all' ? everyTenant : scope.map(tenantInScope).join(',')
}

/** No name of one tenant may stand for several. */
function tenantInScope(tenantId: string): string {
  if (tenantId === everyTenant || tenantId.includes(',')) throw new Error('this is not the id of a tenant')
  return tenantId
}

function session(options: StoreOptions): Session {
  return {
    application_name: options.name,
    role: askedSession.role,
    search_path: askedSession.search_path,
    TimeZone: askedSession.TimeZone,
    statement_timeout: options.statementMsMax,
    lock_timeout: lockMsMax,
    idle_in_transaction_session_timeout: options.statementMsMax,
    standard_conforming_strings: 'on',
    ...fewRowsByIndex,
  }
}

/**
 * Every statement of the service is about a few rows that an index finds. A generic plan takes the tenth part of a table
 * for a page, and would hash a table of a million actions to join fifty of them; and one that was made while a table was
 * empty goes on reading all of it until the table is analyzed. A bitmap
 * takes every entry that an index has, also those of rows that are long gone, and never marks these as a scan does: of a
 * queue, most are.
 */
export const fewRowsByIndex = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}
