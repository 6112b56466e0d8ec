import postgres from 'postgres'
import type { FreshDatabase } from './database.ts'

/** Someone at the database itself, whom no role of the service binds: runs statements and gives their rows. */
export async function asSuperuser<Row extends object>(
  { host, database, superuser }: FreshDatabase,
  ...statements: string[]
): Promise<Row[]> {
  const sql = postgres({ host, database, user: superuser, max: 1, onnotice: () => {} })
  try {
    let rows: Row[] = []
    for (const statement of statements) rows = [...(await sql.unsafe<Row[]>(statement))]
    return rows
  } finally {
    await sql.end()
  }
}
