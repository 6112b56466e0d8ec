import { expect } from 'vitest'
import type { FreshDatabase } from './database.ts'
import { asSuperuser } from './superuser.ts'

/** A database as text, as a dump has it: every row of every table of the product, and of its queue. */
export async function everyRow(database: FreshDatabase): Promise<string> {
  const tables = await asSuperuser<{ name: string }>(
    database,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) =>
      asSuperuser<{ text: string }>(database, `select t::text as text from ${name} t`),
    ),
  )
  expect(tables.length).toBeGreaterThan(10)
  return rows
    .flat()
    .map(({ text }) => text)
    .join('\n')
}
