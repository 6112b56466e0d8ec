import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { migrateDatabase } from '../../shared/store/postgres/migrate.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import type { FreshDatabase } from '../support/servers/database.ts'
import { asSuperuser } from '../support/servers/superuser.ts'

const { host, user } = inject('postgres')
let database: FreshDatabase
let administration: FreshDatabase

/** A database that nobody migrated yet. */
beforeEach(async () => {
  const name = `bare_${randomBytes(6).toString('hex')}`
  const place = { host, superuser: user, runtimeUser: 'action_gate_runtime' } as const
  administration = { ...place, database: 'postgres', drop: async () => undefined }
  await asSuperuser(administration, `create database ${name}`)
  database = {
    ...place,
    database: name,
    async drop() {
      await asSuperuser(administration, `drop database ${name} with (force)`)
    },
  }
})

afterEach(() => database.drop())

const migrate = () => migrateDatabase({ host, user, database: database.database })

function applied() {
  return asSuperuser<{ hash: string }>(
    database,
    'select hash from action_gate.__drizzle_migrations order by id',
  )
}

const journal = JSON.parse(readFileSync(`${repositoryRoot}/drizzle/meta/_journal.json`, 'utf8')) as {
  entries: object[]
}

describe('migrating', () => {
  test('by four processes at once is done once', async () => {
    await Promise.all([migrate(), migrate(), migrate(), migrate()])
    const once = await applied()
    expect(once).toHaveLength(journal.entries.length)
  })

  test('again changes nothing', async () => {
    await migrate()
    const before = await asSuperuser(
      database,
      `select oid::text, relname, relfilenode::text from pg_class where relnamespace = 'action_gate'::regnamespace order by 1`,
    )
    await migrate()
    const after = await asSuperuser(
      database,
      `select oid::text, relname, relfilenode::text from pg_class where relnamespace = 'action_gate'::regnamespace order by 1`,
    )
    expect(after).toEqual(before)
  })

  test('leaves everything to an owner that is not the one who migrated, and no lock', async () => {
    await migrate()
    const owners = await asSuperuser(
      database,
      `select distinct relowner::regrole::text as owner from pg_class where relnamespace = 'action_gate'::regnamespace
       union select nspowner::regrole::text from pg_namespace where nspname = 'action_gate'
       union select proowner::regrole::text from pg_proc where pronamespace = 'action_gate'::regnamespace`,
    )
    expect(owners).toEqual([{ owner: 'action_gate_owner' }])
    const locks = await asSuperuser(
      database,
      `select from pg_locks l join pg_database d on d.oid = l.database where locktype = 'advisory' and datname = current_database()`,
    )
    expect(locks).toEqual([])
  })
})
