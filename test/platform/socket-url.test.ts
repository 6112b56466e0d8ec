import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect } from '../../shared/store/postgres/location.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const forms: [string, (at: FreshDatabase, directory: string) => string][] = [
  ['without a host', (at, directory) => `postgres://${at.superuser}@/${at.database}?host=${directory}`],
  [
    'with one',
    (at, directory) => `postgresql://${at.superuser}:p%40@no.host/${at.database}?host=${directory}`,
  ],
  [
    'with further parameters',
    (at, directory) => `postgres://${at.superuser}@/${at.database}?connect_timeout=3&host=${directory}`,
  ],
]

it.each(forms)('a URL may name the directory of a socket: %s', async (_, url) => {
  const sql = connect({ url: url(database, encodeURIComponent(database.host)) }, {}, 1)
  try {
    const [row] =
      await sql`select current_database() as name, current_user as login, inet_server_addr() as address`
    expect(row).toEqual({ name: database.database, login: database.superuser, address: null })
  } finally {
    await sql.end()
  }
})

it('a URL of several servers is left to the driver', async () => {
  const sql = connect({ url: 'postgres://one.test:1,two.test:2/name' }, {}, 1)
  expect(sql.options.host).toEqual(['one.test', 'two.test'])
  await sql.end()
})
