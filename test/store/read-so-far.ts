import type { Reader, Store, Writer } from '../../shared/store/postgres/open.ts'

/** What a walk reads with, and writes with. */
export interface Walker {
  reader: Reader
  writer: Writer
}

/** Entries of indexes and rows of tables that this transaction has read. */
const readSoFarSql = `
  select sum(pg_stat_get_xact_tuples_returned(oid))::int4 as read
  from pg_class where relnamespace = 'action_gate'::regnamespace`

/** What a walk finds, and how much it reads, in a transaction of its own. */
export function walked(
  store: Store,
  walk: (of: Walker) => Promise<number>,
): Promise<{ found: number; read: number }> {
  return store.write('all', async writer => {
    const before = await readSoFar(writer)
    const found = await walk({ writer, reader: { kind: 'reader', query: writer.query } })
    return { found, read: (await readSoFar(writer)) - before }
  })
}

async function readSoFar(writer: Writer): Promise<number> {
  const [row] = await writer.query<{ read: number }>('', readSoFarSql, [])
  return row?.read ?? Number.NaN
}
