import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { connect, connectPool, type DatabaseLocation, type Session } from './location.ts'
import { UnfitDatabase } from './schema-state.ts'
import { openSingleStatements } from './single-statements.ts'
import { gaveWay, inTransaction, type Statements, scopeStatement, type Transaction } from './transaction.ts'

/** The tenants whose rows a transaction may see and write. Only the process itself uses `all`, never a request. */
export type Scope = readonly string[] | 'all'

export interface Reader extends Statements {
  readonly kind: 'reader'
}

export interface Writer extends Pick<Transaction, 'query' | 'last' | 'ahead'> {
  readonly kind: 'writer'
}

/** The first part of a transaction. It may use rows of every tenant. If it rejects, the transaction ends. */
export type Hold = (writer: Writer) => Promise<void>

export type Query = NodePgDatabase

/**
 * A database under the runtime role. Every access has a scope. Queries name their tenant, and row-level security
 * refuses other tenants even if a query forgets to.
 */
export interface Store {
  /** Reads tenants in one snapshot. With the scope `all`, each statement is a transaction of its own. */
  read<Answer>(scope: Scope, work: (reader: Reader) => Promise<Answer>): Promise<Answer>
  write<Answer>(scope: Scope, work: (writer: Writer) => Promise<Answer>): Promise<Answer>
  /** Runs each statement as a transaction of its own, in one round trip. */
  readEach(scope: Scope): Reader
  look<Answer>(scope: Scope, work: (query: Query) => Promise<Answer>): Promise<Answer>
  /** Runs a change. Repeats it if PostgreSQL rolled it back because of a deadlock or a serialization failure. */
  change<Answer>(scope: Scope, work: (query: Query) => Promise<Answer>): Promise<Answer>
  /** Returns a store on the same connections that begins every writing transaction with `hold`. */
  under(hold: Hold): Store
  use(): Record<'transactions' | 'statements', ConnectionUse>
  close(): Promise<void>
}

export interface ConnectionUse {
  size: number
  in_use: number
  waiting: number
}

export interface StoreOptions {
  /** The number of connections for transactions. Single statements get the same number again. */
  poolSize: number
  statementMsMax: number
  name: string
  isLost(error: unknown): boolean
  commitApart?: boolean
}

const lockMsMax = 3_000
const everyTenant = '*'

/**
 * Opens a migrated database under the runtime role. Single statements use postgres.js. Transactions use
 * node-postgres, because postgres.js does not survive a connection that is lost inside a transaction.
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

/**
 * Repeats work that PostgreSQL rolled back because of another transaction, 4 times at most. Nothing of it was
 * kept.
 */
async function repeated<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (let time = 1; ; time++) {
    try {
      return await work()
    } catch (error) {
      if (time === timesMax || !gaveWay(error)) throw error
    }
  }
}

/** Runs `hold` with access to every tenant, and then limits the transaction to its scope. */
async function begun({ query, last, ahead }: Transaction, scope: Scope, hold: Hold): Promise<Writer> {
  const writer: Writer = { kind: 'writer', query, last, ahead }
  ahead(scopeStatement.name, scopeStatement.text, [everyTenant])
  await hold(writer)
  ahead(scopeStatement.name, scopeStatement.text, [tenantsIn(scope)])
  return writer
}

/**
 * Rejects unless the database answers, is migrated and takes writes, and both pools have the requested settings. A
 * read-only database could store no proposal or decision, and a session without a scope would find no key.
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

/**
 * Settings that the probe reads back; a session without them would lack rights, names, times, plans or tenants.
 */
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

/** Returns the setting that row-level security reads. Every transaction begins by setting it. */
function tenantsIn(scope: Scope): string {
  return scope === 'all' ? everyTenant : scope.map(tenantInScope).join(',')
}

/** Throws for an id that the setting would read as several tenants. */
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
 * Settings for statements that reach a few rows by an index. A generic plan assumes that a page returns a tenth of
 * the table, so it would hash a million actions to join fifty of them. A plan made while a table was empty would
 * scan all of the table until it is analyzed. A bitmap scan also follows index entries of dead rows and never
 * marks them as dead. In a queue, most entries are of dead rows.
 */
export const fewRowsByIndex = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}
