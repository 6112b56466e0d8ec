import pg from 'pg'
import type { Parameter, Statements } from './transaction.ts'

/**
 * Statements each of which is a transaction of its own, in one message and one answer: what a message holds, the server
 * begins, commits or rolls back together. `settings` are set for that transaction, before its statement.
 */
export function eachOf(pool: pg.Pool, settings: string): Statements {
  return {
    async query<Row>(name: string, text: string, parameters: readonly Parameter[]) {
      const client = await pool.connect()
      let broken = true
      try {
        await prepare(client, name, text)
        const answers = await client.query(`${settings}; ${execution(name, parameters)}`)
        broken = false
        return rowsOfStatement(answers) as Row[]
      } catch (error) {
        broken = !(error instanceof pg.DatabaseError) || endOfSession.test(error.code ?? '')
        throw error
      } finally {
        client.release(broken)
      }
    },
  }
}

/** SQLSTATE of a server that ends the session: it was told to, or crashed. Any other refusal leaves the connection usable. */
const endOfSession = /^57P/

/** What each connection has prepared by name. */
const prepared = new WeakMap<pg.PoolClient, Set<string>>()

async function prepare(client: pg.PoolClient, name: string, text: string): Promise<void> {
  const names = prepared.get(client) ?? new Set()
  prepared.set(client, names)
  if (names.has(name)) return
  await client.query(`prepare each_${name} as ${text}`)
  names.add(name)
}

function execution(name: string, parameters: readonly Parameter[]): string {
  return parameters.length === 0
    ? `execute each_${name}`
    : `execute each_${name}(${parameters.map(literal).join(',')})`
}

/** With `standard_conforming_strings`, which every session sets, a quote is all that must be doubled. */
function literal(value: Parameter): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return `'${value}'`
  return `'${value.includes("'") ? value.replaceAll("'", "''") : value}'`
}

/** A message of several statements has an answer to each; the statement is the last. */
function rowsOfStatement(answers: unknown): unknown[] {
  const answer = (answers as readonly pg.QueryResult[]).at(-1)
  if (!answer) throw new Error('the database did not answer a statement')
  return answer.rows
}
