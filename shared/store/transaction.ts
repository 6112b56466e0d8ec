import type pg from 'pg'

/** Statements of one transaction; `name` prepares a statement once per connection. */
export interface Transaction {
  query<Row>(name: string, text: string, parameters: readonly unknown[]): Promise<Row[]>
}

export type InTransaction = <Answer>(work: (transaction: Transaction) => Promise<Answer>) => Promise<Answer>

/** Begin, work, commit; whatever fails rolls back, and a connection that cannot is thrown away. */
export function inTransactionOf(pool: pg.Pool): InTransaction {
  return async work => {
    const client = await pool.connect()
    let broken = false
    try {
      await client.query('begin')
      const answer = await work(statementsOf(client))
      await client.query('commit')
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
}

function statementsOf(client: pg.PoolClient): Transaction {
  return {
    async query<Row>(name: string, text: string, parameters: readonly unknown[]) {
      const { rows } = await client.query({ name, text, values: [...parameters] })
      return rows as Row[]
    },
  }
}
