import type pg from 'pg'

/** What a statement may be given; arrays go as literals (`array-literal`). */
export type Parameter = string | number | null

export interface Statements {
  /** Run a statement; `name` says which, and prepares it once per connection. */
  query<Row>(name: string, text: string, parameters: readonly Parameter[]): Promise<Row[]>
}

/** Begin as told, work, commit; whatever fails rolls back, and a connection that cannot is thrown away. */
export async function inTransaction<Answer>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient) => Promise<Answer>,
): Promise<Answer> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query(begin)
    const answer = await work(client)
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

export function statementsOf(client: pg.PoolClient): Statements {
  return {
    async query<Row>(name: string, text: string, parameters: readonly Parameter[]) {
      const { rows } = await client.query({ name, text, values: [...parameters] })
      return rows as Row[]
    },
  }
}
