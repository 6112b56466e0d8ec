import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { migrateDatabase } from '../../shared/store/migrate.ts'
import type { FreshDatabase } from '../support/database.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { asSuperuser } from '../support/superuser.ts'

const { host, user } = inject('postgres')
const place = { host, superuser: user, runtimeUser: 'action_gate_runtime' } as const
let database: FreshDatabase

beforeEach(async () => {
  const name = `older_${randomBytes(6).toString('hex')}`
  const administration = { ...place, database: 'postgres', drop: async () => undefined }
  await asSuperuser(administration, `create database ${name}`)
  const drop = async () => void (await asSuperuser(administration, `drop database ${name} with (force)`))
  database = { ...place, database: name, drop }
})

afterEach(() => database.drop())

interface Journal {
  entries: { idx: number; tag: string; when: number }[]
}

/** As a release before the control plane left it. */
async function migrateUpTo(last: string): Promise<void> {
  const folder = `${repositoryRoot}/drizzle`
  const { entries } = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as Journal
  const end = entries.findIndex(({ tag }) => tag === last)
  const migrations = entries.slice(0, end + 1).map(({ tag, when }) => {
    const text = readFileSync(`${folder}/${tag}.sql`, 'utf8')
    return { when, text, hash: createHash('sha256').update(text).digest('hex') }
  })
  await asSuperuser(
    database,
    'create schema action_gate authorization action_gate_owner',
    'grant create on schema action_gate to action_gate_owner',
    'set role action_gate_owner',
    'create table action_gate.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
    ...migrations.flatMap(({ text }) => text.split('--> statement-breakpoint')),
    ...migrations.map(
      ({ hash, when }) =>
        `insert into action_gate.__drizzle_migrations (hash, created_at) values ('${hash}', ${when})`,
    ),
  )
}

it('a database with actions of before is brought up: they name their operation and key, and the walls stand', async () => {
  await migrateUpTo('0002_doubtful_refusal')
  const event = `'\\x7b7d'::bytea`
  const leaf = `sha256('\\x00'::bytea || ${event})`
  const payload = (json: object) => `convert_to('${JSON.stringify(json)}', 'UTF8')`
  await asSuperuser(
    database,
    'set role action_gate_owner',
    'set search_path to action_gate',
    `insert into tenants (tenant_id, policy_revision, approval_ttl_ms) values ('old', 1, 1000)`,
    `begin;
     insert into action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
       select id, s.n, s.kind, s.f, s.t, 'old', ${event}, ${leaf} from (values ('act_kept'), ('act_erased')) a(id),
       (values (0, 'proposal_received', null, 'received'), (1, 'verdict', 'received', 'denied')) s(n, kind, f, t) order by id, s.n;
     insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, status, event_count, leaf_hashes, audit_root, created_at, updated_at)
       select id, 'old', id, 'h', 'crm', 'denied', 2, ${leaf} || ${leaf}, '', now(), now() from (values ('act_kept'), ('act_erased')) a(id);
     insert into event_payloads (action_id, sequence, tenant_id, payload, salt) values
       ('act_kept', 0, 'old', ${payload({ action: { operation: 'read' } })}, ''),
       ('act_kept', 1, 'old', ${payload({ principal: { key_id: 'agk_1' } })}, '');
     commit`,
  )
  await migrateDatabase({ host, user, database: database.database })
  const rows = await asSuperuser(
    database,
    'select action_id, operation, key_id from action_gate.actions order by action_id desc',
  )
  expect(rows).toEqual([
    { action_id: 'act_kept', operation: 'read', key_id: 'agk_1' },
    { action_id: 'act_erased', operation: '', key_id: '' },
  ])
  const seen = await asSuperuser(
    database,
    'set session authorization action_gate_runtime',
    `set action_gate.tenants to 'another'`,
    'select from action_gate.actions',
  )
  expect(seen).toEqual([])
})
