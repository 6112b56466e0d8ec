import pg from 'pg'
import { exchange, type Parameter, type Rows, type Statement } from './wire-exchange.ts'

export interface Statements {
  /** Runs a statement, which a connection prepares once under its `name`. */
  query<Row>(name: string, text: string, parameters: readonly Parameter[]): Promise<Row[]>
}

/** Statements of one transaction, run one after the other. `begin` is sent together with the first. */
export interface Transaction extends Statements {
  /** Runs the last statement and commits in one round trip. A single statement needs no other round trip. */
  last: Statements['query']
  /** Sends a statement together with the next one. Its rows can be read after the answer to the next one. */
  ahead<Row>(name: string, text: string, parameters: readonly Parameter[]): () => Row[]
  client(): Promise<pg.PoolClient>
}

export interface TransactionTraits {
  readOnly: boolean
  tenants: string
  /** True to commit in a separate round trip, so that there is a moment between the write and the commit. */
  commitApart: boolean
}

/** Runs work in a transaction and rolls back if it fails. Drops a connection that is lost or cannot roll back. */
export async function inTransaction<Answer>(
  pool: pg.Pool,
  traits: TransactionTraits,
  work: (transaction: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const client = await pool.connect()
  const { transaction, commit, undo } = transactionOn(client, traits)
  let usable = true
  try {
    const answer = await work(transaction)
    await commit()
    return answer
  } catch (error) {
    usable = await undo()
    throw error
  } finally {
    client.release(!usable)
  }
}

interface Controlled {
  transaction: Transaction
  commit(): Promise<void>
  undo(): Promise<boolean>
}

/** Sends a single statement without begin and commit, because it is then a transaction by itself. */
function transactionOn(client: pg.PoolClient, traits: TransactionTraits): Controlled {
  let state: 'new' | 'begun' | 'ended' | 'failed' | 'lost' = 'new'
  let open = false
  const waiting: Statement[] = []
  const answers = new Map<Statement, Rows>()
  const { begin, alone } = traits.readOnly ? reading : writing
  const values = [traits.tenants]

  const send = async <Row>(statements: readonly Statement[], answering: Statement): Promise<Row[]> => {
    try {
      const came = await exchange(client, statements, new Set([...waiting.splice(0), answering]))
      for (const [statement, rows] of came) answers.set(statement, rows)
      return (came.get(answering) ?? []) as Row[]
    } catch (error) {
      state = error instanceof pg.DatabaseError && !endOfSession.test(error.code ?? '') ? 'failed' : 'lost'
      throw error
    }
  }
  const opening = (): Statement[] => {
    if (state === 'begun') return [...waiting]
    if (state !== 'new') throw new Error(`the transaction has ${state}: it takes no more statements`)
    state = 'begun'
    open = true
    return [begin, { values, ...scopeStatement }, ...waiting]
  }
  const query: Statements['query'] = async (name, text, parameters) => {
    const statement = { name, text, values: parameters }
    return send([...opening(), statement], statement)
  }
  const last: Transaction['last'] = async <Row>(
    name: string,
    text: string,
    parameters: readonly Parameter[],
  ) => {
    if (traits.commitApart) return query<Row>(name, text, parameters)
    const statement = { name, text, values: parameters }
    const statements =
      state === 'new' && waiting.length === 0
        ? [{ values, ...alone }, statement]
        : [...opening(), statement, commitStatement]
    const rows = await send<Row>(statements, statement)
    state = 'ended'
    return rows
  }
  const commit = async (): Promise<void> => {
    if (state === 'begun' || waiting.length > 0) await send([...opening(), commitStatement], commitStatement)
    if (state === 'failed' || state === 'lost') throw new Error(`the transaction has ${state}`)
  }
  const undo = async (): Promise<boolean> => {
    if (state === 'lost') return false
    if (state === 'ended' || !open) return true
    return rollBack(client)
  }
  const begun = async (): Promise<pg.PoolClient> => {
    const statements = opening()
    if (statements[0]) await send(statements, statements[0])
    return client
  }
  const ahead: Transaction['ahead'] = <Row>(name: string, text: string, parameters: readonly Parameter[]) => {
    const statement = { name, text, values: parameters }
    waiting.push(statement)
    return () => {
      const rows = answers.get(statement)
      if (!rows) throw new Error(`${name} has not answered`)
      return rows as Row[]
    }
  }
  return { transaction: { query, last, ahead, client: begun }, commit, undo }
}

function rollBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  )
}

/** SQLSTATEs of a server that ends the session or cannot be reached. Other errors leave the connection usable. */
const endOfSession = /^(57P|08)/

const setTenants = `set_config('action_gate.tenants', $1, true)`

export const scopeStatement = { name: 'scope', text: `select ${setTenants}` }

/** `begin` starts a transaction of several statements; `alone` precedes the only statement of a transaction. */
const writing = { begin: { name: 'begin', text: 'begin', values: [] }, alone: scopeStatement }
const reading = {
  begin: { name: 'begin_reading', text: 'begin isolation level repeatable read read only', values: [] },
  alone: {
    name: 'scope_reading',
    text: `select ${setTenants}, set_config('transaction_read_only', 'on', true)`,
  },
}
const commitStatement = { name: 'commit', text: 'commit', values: [] }

/**
 * Returns true if PostgreSQL rolled back a transaction because of a deadlock or a serialization failure. Drizzle
 * stores the driver's error as the cause of its own.
 */
export function gaveWay(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '40P01' || error.code === '40001'
  return error instanceof Error && gaveWay(error.cause)
}
