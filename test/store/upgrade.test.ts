import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { lineageOf } from '../../shared/lifecycle/lineage.ts'
import { migrateDatabase } from '../../shared/store/postgres/migrate.ts'
import type { FreshDatabase } from '../support/servers/database.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { asSuperuser } from '../support/servers/superuser.ts'

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

it('keys of before get the lineage that they would be minted with, and none where that is not known', async () => {
  await migrateUpTo('0017_queue_sample_grants')
  const minted: [id: string, scope: string, name: string, by: string | null][] = [
    ['apk_owned', 'approver', 'anybody', 'owner acc_1'],
    ['agk_owned', 'agent', 'First  agent KEY ', 'owner acc_1'],
    ['apk_named', 'approver', ' Ada Lovelace', 'admin adk_1'],
    ['apk_foreign', 'approver', 'Ädä', 'admin adk_1'],
    ['apk_untold', 'approver', 'Ada Lovelace', null],
  ]
  const keys = minted.map(([id, scope, name]) => `('${id}', 'old', '${scope}', '${name}', sha256(''))`)
  const told = minted.flatMap(([id, , , by]) => (by === null ? [] : [{ id, by: by.split(' ') }]))
  const event = ([kind, id]: string[]) =>
    `convert_to('${JSON.stringify({ principal: { id, kind } })}', 'UTF8')`
  const events = told.map(
    ({ by }, n) => `('old', ${n}, 'key_issued', ${event(by)}, sha256('\\x00'::bytea || ${event(by)}))`,
  )
  const payloads = told.map(
    ({ id }, n) => `('old', ${n}, convert_to('${JSON.stringify({ key_id: id })}', 'UTF8'), '')`,
  )
  await asSuperuser(
    database,
    'set role action_gate_owner',
    'set search_path to action_gate',
    `insert into tenants (tenant_id, policy_revision, approval_ttl_ms) values ('old', 1, 1000)`,
    `insert into api_keys (key_id, tenant_id, scope, name, secret_hash) values ${keys.join(', ')}`,
    `insert into config_events (tenant_id, sequence, kind, event, leaf_hash) values ${events.join(', ')}`,
    `insert into config_payloads (tenant_id, sequence, payload, salt) values ${payloads.join(', ')}`,
  )
  await migrateDatabase({ host, user, database: database.database })
  const rows = await asSuperuser<{ key_id: string; lineage: string | null }>(
    database,
    'select key_id, lineage from action_gate.api_keys',
  )
  expect(Object.fromEntries(rows.map(({ key_id, lineage }) => [key_id, lineage]))).toEqual({
    apk_owned: 'account:acc_1',
    agk_owned: lineageOf(named('First  agent KEY ')),
    apk_named: lineageOf(named(' Ada Lovelace')),
    apk_foreign: null,
    apk_untold: null,
  })
})

it('jobs of before that are not done are given the system of their action', async () => {
  await migrateUpTo('0025_vacuum_of_the_queue')
  await asSuperuser(
    database,
    'set search_path to action_gate',
    'set session_replication_role to replica',
    `insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status, event_count, leaf_hashes, audit_root, created_at, updated_at)
       select id, 'old', id, 'h', 'crm', 'read', 'k', 'received', 1, sha256(''), '', now(), now() from (values ('act_pending'), ('act_done')) a(id)`,
    `insert into execution_jobs (action_id, tenant_id, state, attempt, max_attempts, next_run_at, lease_token, maybe_executed, key_honoured)
       select id, 'old', state, 0, 1, now(), 0, false, false from (values ('act_pending', 'pending'), ('act_done', 'done')) j(id, state)`,
  )
  await migrateDatabase({ host, user, database: database.database })
  const rows = await asSuperuser(
    database,
    'select action_id, target_system from action_gate.execution_jobs order by action_id desc',
  )
  expect(rows).toEqual([
    { action_id: 'act_pending', target_system: 'crm' },
    { action_id: 'act_done', target_system: null },
  ])
})

function named(name: string) {
  return { name, scope: 'approver' as const, minted_by: { source: 'test' }, shared_with: null }
}
