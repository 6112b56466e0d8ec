import type pg from 'pg'

/** What a statement may be given; arrays go as literals (`array-literal`). */
export type Parameter = string | number | null

export interface Statements {
  /** Run a statement; `name` says which, and prepares it once per connection. */
  query<Row>(name: string, text: string, parameters: readonly Parameter[]): Promise<Row[]>
}

/** Statements of one transaction. It begins with the first of them, in one message. */
export interface Transaction extends Statements {
  /** The last statement, committed in the message that carries it. The only one of a transaction is one round trip. */
  last: Statements['query']
  /** Its connection, for a client that makes statements of its own. */
  client(): Promise<pg.PoolClient>
}

/** How transactions begin. */
export interface Beginning {
  /** As after `begin`, such as `read only`, or nothing. */
  mode: string
  /** Statements that hold within the transaction. */
  settings: string
  /** Commit in a message of its own, so that there is a moment between writing and committing. */
  commitApart?: boolean
}

/** Begin as told, work, commit; whatever fails rolls back, and a connection that cannot is thrown away. */
export async function inTransaction<Answer>(
  pool: pg.Pool,
  beginning: Beginning,
  work: (transaction: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const client = await pool.connect()
  const { transaction, commit } = transactionOn(client, beginning)
  let broken = false
  try {
    const answer = await work(transaction)
    await commit()
    return answer
  } catch (error) {
    broken = await client.query('rollback').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    client.release(broken)
  }
}

interface Committed {
  transaction: Transaction
  commit(): Promise<void>
}

/**
 * What one message holds, the server begins, commits or rolls back together where it says nothing of that: so a
 * transaction of one statement says nothing, and a longer one begins and commits in the messages of its statements.
 */
function transactionOn(client: pg.PoolClient, { mode, settings, commitApart }: Beginning): Committed {
  let state: 'new' | 'begun' | 'ended' = 'new'
  const begin = `begin ${mode}; ${settings}`
  const alone = mode === '' ? settings : `set transaction ${mode}; ${settings}`

  const more = (): string => {
    if (state === 'ended') throw new Error('the transaction has had its last statement')
    const opening = state === 'new' ? `${begin}; ` : ''
    state = 'begun'
    return opening
  }
  const begun = async (): Promise<pg.PoolClient> => {
    const opening = more()
    if (opening !== '') await client.query(opening)
    return client
  }
  const query: Statements['query'] = async (name, text, parameters) => {
    if (name === '') return (await (await begun()).query({ text, values: [...parameters] })).rows
    await prepare(client, name, text)
    return answersOf(await client.query(`${more()}${execution(name, parameters)}`)).at(-1)?.rows ?? []
  }
  const last: Statements['query'] = async (name, text, parameters) => {
    if (commitApart) return query(name, text, parameters)
    await prepare(client, name, text)
    const isAlone = state === 'new'
    const opening = isAlone ? `${alone}; ` : more()
    state = 'ended'
    const message = `${opening}${execution(name, parameters)}${isAlone ? '' : '; commit'}`
    return answersOf(await client.query(message)).at(isAlone ? -1 : -2)?.rows ?? []
  }
  const commit = async (): Promise<void> => {
    if (state === 'begun') await client.query('commit')
  }
  return { transaction: { query, last, client: begun }, commit }
}

/** What each connection has prepared by name. */
const prepared = new WeakMap<pg.PoolClient, Set<string>>()

async function prepare(client: pg.PoolClient, name: string, text: string): Promise<void> {
  const names = prepared.get(client) ?? new Set()
  prepared.set(client, names)
  if (names.has(name)) return
  await client.query(`prepare "${name}" as ${text}`)
  names.add(name)
}

function execution(name: string, parameters: readonly Parameter[]): string {
  const given = parameters.length === 0 ? '' : `(${parameters.map(literal).join(',')})`
  return `execute "${name}"${given}`
}

/** With `standard_conforming_strings`, which every session sets, a quote is all that must be doubled. */
function literal(value: Parameter): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return `'${value}'`
  return `'${value.includes("'") ? value.replaceAll("'", "''") : value}'`
}

/** A message of several statements has an answer to each, where the declared type knows one alone. */
function answersOf(answers: pg.QueryResult | pg.QueryResult[]): pg.QueryResult[] {
  return Array.isArray(answers) ? answers : [answers]
}
