import pg from 'pg'
import { exchange, type Parameter, type Rows, type Statement } from './wire-exchange.ts'

export interface Statements {
  /** Run a statement; `name` says which, and prepares it once per connection. */
  query<Row>(name: string, text: string, parameters: readonly Parameter[]): Promise<Row[]>
}

/** Statements of one transaction, one after the other. It begins with the first of them, in one round trip. */
export interface Transaction extends Statements {
  /** The last statement, committed in the round trip that carries it; alone it is the whole of its transaction. */
  last: Statements['query']
  /** A statement that goes with the next one, in its round trip. Its rows can be read when that one has answered. */
  ahead<Row>(name: string, text: string, parameters: readonly Parameter[]): () => Row[]
  /** Its connection, for a client that makes statements of its own. */
  client(): Promise<pg.PoolClient>
}

export interface TransactionTraits {
  /** One snapshot for all its statements, none of which may write. */
  readOnly: boolean
  /** What row-level security compares the tenants of rows with. */
  tenants: string
  /** Commit in a round trip of its own, so that there is a moment between writing and committing. */
  commitApart: boolean
}

/** Work in a transaction: whatever fails rolls back, and a connection that is lost or cannot is thrown away. */
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
  /** Roll back what was begun; whether the connection can be used again. */
  undo(): Promise<boolean>
}

/** Without `begin` what is sent together is a transaction, so one of a single statement is neither begun nor committed. */
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

/** Whether the connection can be used again. */
function rollBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  )
}

/** SQLSTATE of a server that ends the session or cannot be talked to; after any other refusal a connection is usable. */
const endOfSession = /^(57P|08)/

const setTenants = `set_config('action_gate.tenants', $1, true)`

/** Sets the tenants that row-level security lets a transaction see, from here on. */
export const scopeStatement = { name: 'scope', text: `select ${setTenants}` }

/** How a transaction begins, and what goes before a statement that is all of one. */
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
 * Whether PostgreSQL ended a transaction in favour of another one, by a deadlock or a serialization fault: nothing of it was
 * kept. Drizzle has the error of the driver as its cause.
 */
export function gaveWay(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '40P01' || error.code === '40001'
  return error instanceof Error && gaveWay(error.cause)
}
