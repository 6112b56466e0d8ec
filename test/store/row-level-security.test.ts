import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  listActions,
  readAction,
  readActionByProposal,
  readVersions,
} from '../../shared/store/action/actions.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import { readActiveDocuments } from '../../shared/store/tenant/active-documents.ts'
import { listKeys, revokeKey } from '../../shared/store/tenant/api-keys.ts'
import { readFreezes } from '../../shared/store/tenant/freeze-rows.ts'
import { listTenants, tenantExists } from '../../shared/store/tenant/tenant-rows.ts'
import { listReports, readPassingReport } from '../../shared/store/tenant/verification-reports.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { askForGrant } from '../support/service/ask-for-grant.ts'
import { plantStoredSecret } from '../support/service/plant-secret.ts'
import { plantWebhook } from '../support/service/plant-webhook.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../support/service/tenant.ts'

let service: TestService
let store: Store
let mine: TestTenant
let other: TestTenant
let tables: string[]
/** An action of the other tenant that was approved and executed, and one that is held. */
let theirs: string
let held: string

beforeAll(async () => {
  service = await startService()
  store = service.context.store
  ;[mine, other] = await Promise.all([service.tenant(), service.tenant()])
  theirs = (await other.submit()).body.action_id
  held = (await other.submit({ risk: 'high' })).body.action_id
  await Promise.all([fill(mine), fill(other)])
  await vi.waitFor(
    async () => expect(await tenantsSeen('all', 'action_statements')).toEqual([mine.id, other.id].sort()),
    { timeout: 10_000 },
  )
  await Promise.all([leaveOver(mine), leaveOver(other)])
  tables = (
    await asSuperuser<{ name: string }>(
      service.database,
      `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'action_gate' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE' order by 1`,
    )
  ).map(({ name }) => name)
})

afterAll(() => service.close())

/** A row in every table that has a tenant. */
async function fill(tenant: TestTenant): Promise<void> {
  const { body } = await tenant.submit()
  await tenant.submit({ risk: 'high' })
  await askForGrant(service, tenant, { constraints: { contact: { equals: 43 } } })
  await tenant.submit({ risk: 'high', parameters: { contact: 43 } })
  await plantWebhook(service.context, tenant.id)
  await plantStoredSecret(service.context, tenant.id, { name: 'token' })
  const admin = (path: string, json: object) =>
    service.call('POST', `/v1/tenants/${tenant.id}/${path}`, { admin: service.admin, json })
  await admin('freeze', { reason: 'of a test', system: 'elsewhere' })
  await admin('catalog', { operations: [] })
  await store.write([tenant.id], writer =>
    writer.query(
      '',
      `insert into late_results (action_id, token, tenant_id, worker, detail) values ($1, 1, $2, 'w', '{}')`,
      [body.action_id, tenant.id],
    ),
  )
  await store.write([tenant.id], writer =>
    writer.query(
      '',
      `insert into dispatched_operations (action_id, tenant_id, attempt, url, interval_ms, ends_at)
       values ($1, $2, 1, 'https://crm.example', 1, now())`,
      [body.action_id, tenant.id],
    ),
  )
  await store.write([tenant.id], writer =>
    writer.query(
      '',
      `insert into test_calls (test_id, tenant_id, system, test, request_hash, author, take_before, answer)
       values ('test_' || $1, $1, 'crm', '{}', '', '{}', now(), '{}')`,
      [tenant.id],
    ),
  )
  await store.write([tenant.id], writer =>
    writer.query(
      '',
      `insert into scan_cursors (tenant_id, target_system, freezes, next_run_at, action_id, more, looked_at)
       values ($1, 'elsewhere', '', now(), $2, false, now())`,
      [tenant.id, body.action_id],
    ),
  )
  await store.write([tenant.id], async writer => {
    for (const text of [
      `insert into number_hours (tenant_id, hour, numbers) values ($1, now(), '{}') on conflict do nothing`,
      `insert into number_marks (tenant_id, counted) values ($1, 0) on conflict do nothing`,
      `insert into review_groups (tenant_id, name, members) values ($1, 'leads', '[]')`,
      `insert into review_routes (tenant_id, name, route) values ($1, 'elsewhere', '{"required": [{"group": "leads", "approvals": 1}]}')`,
      `insert into slack_apps (tenant_id, team_id, sealed_secret) values ($1, 'T0', '')`,
      `insert into slack_requests (tenant_id, request_hash, expires_at) values ($1, sha256('1'), now())`,
      `insert into review_absences (tenant_id, absent, delegate, absent_until) values ($1, 'name:a', 'name:b', now())`,
    ])
      await writer.query('', text, [tenant.id])
  })
  const made = await service.call<{ report_id: string }>('POST', `/v1/tenants/${tenant.id}/policy/verify`, {
    admin: service.admin,
    json: {},
  })
  expect(made.body).toMatchObject({ signature: expect.any(Object) })
  await store.write([tenant.id], async writer => {
    const organization = `org_${tenant.id}`
    await writer.query('', `insert into organizations (organization_id, name) values ($1, 'x')`, [
      organization,
    ])
    await writer.query(
      '',
      `insert into tenant_owners (tenant_id, organization_id, name) values ($1, $2, 'x')`,
      [tenant.id, organization],
    )
    await writer.query(
      '',
      `insert into accounts (account_id, organization_id, email, membership) values ($1, $2, 'x', 'member')`,
      [`acc_${tenant.id}`, organization],
    )
    await writer.query(
      '',
      `insert into member_roles (account_id, tenant_id, role) values ($1, $2, 'auditor')`,
      [`acc_${tenant.id}`, tenant.id],
    )
    await writer.query('', `insert into slack_links (tenant_id, account_id) values ($1, $2)`, [
      tenant.id,
      `acc_${tenant.id}`,
    ])
  })
  const path = `/v1/actions/${body.action_id}/audit-export`
  await service.call('GET', path, { key: tenant.agent })
  await service.call('PUT', `/v1/tenants/${tenant.id}/catalog`, {
    admin: service.admin,
    json: { operations: [] },
  })
  await service.call('PUT', `/v1/tenants/${tenant.id}/policy`, { admin: service.admin, json: plainPolicy })
}

/** Rows of work that nobody can do, once what can be done is done: the log of the tenant stands still then. */
async function leaveOver(tenant: TestTenant): Promise<void> {
  // Of actions that are not there, so that the sequencer leaves them where they are.
  await store.write([tenant.id], async writer => {
    const action = `act_none_${tenant.id}`
    await writer.query(
      '',
      'insert into log_outbox (tenant_id, stream, first_sequence, event_count) values ($1, $2, 0, 1)',
      [tenant.id, `action/${action}`],
    )
    await writer.query(
      '',
      'insert into unsigned_statements (tenant_id, action_id, event_count) values ($1, $2, 1)',
      [tenant.id, action],
    )
  })
  // Of a report that is not there, so that nobody signs it.
  await store.write([tenant.id], writer =>
    writer.query('', `insert into unsigned_reports (tenant_id, report_id) values ($1, 'vrp_none')`, [
      tenant.id,
    ]),
  )
}

function tenantsSeen(scope: string[] | 'all', table: string): Promise<string[]> {
  const text = `select distinct tenant_id as id from ${table} where tenant_id is not null order by 1`
  return store
    .read(scope, reader => reader.query<{ id: string }>('', text, []))
    .then(rows => rows.map(({ id }) => id))
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )
}

describe('a query that forgets its tenant', () => {
  it('is tried on every table that has one', () => {
    expect(tables).toEqual([
      'action_events',
      'action_statements',
      'actions',
      'actuators',
      'api_keys',
      'bounded_grants',
      'catalog_revisions',
      'config_events',
      'config_payloads',
      'dispatched_operations',
      'event_payloads',
      'execution_jobs',
      'freezes',
      'grant_uses',
      'held_actions',
      'late_results',
      'log_checkpoints',
      'log_entries',
      'log_keys',
      'log_nodes',
      'log_outbox',
      'member_roles',
      'number_hours',
      'number_marks',
      'policy_revisions',
      'report_signatures',
      'review_absences',
      'review_groups',
      'review_routes',
      'scan_cursors',
      'slack_apps',
      'slack_links',
      'slack_requests',
      'tenant_logs',
      'tenant_owners',
      'tenant_secrets',
      'tenants',
      'test_calls',
      'unsigned_reports',
      'unsigned_statements',
      'verification_reports',
      'webhook_deliveries',
      'webhooks',
    ])
  })

  it('sees the rows of its scope alone', async () => {
    for (const table of tables) {
      const both = [mine.id, other.id].sort()
      expect({ table, seen: await tenantsSeen([mine.id], table) }).toEqual({ table, seen: [mine.id] })
      expect({ table, seen: await tenantsSeen(both, table) }).toEqual({ table, seen: both })
      expect({ table, seen: await tenantsSeen('all', table) }).toEqual({ table, seen: both })
      expect({ table, seen: await tenantsSeen([], table) }).toEqual({ table, seen: [] })
      expect({ table, seen: await tenantsSeen(["x' or true --"], table) }).toEqual({ table, seen: [] })
    }
  })

  it('writes nothing of another tenant', async () => {
    const write = (text: string) => store.write([mine.id], writer => writer.query('', text, []))
    const touched = [
      `update actions set updated_at = now() where action_id = '${theirs}' returning 1`,
      `update tenants set approval_ttl_ms = 1 where tenant_id = '${other.id}' returning 1`,
      `update api_keys set revoked_at = now() where tenant_id = '${other.id}' returning 1`,
      `delete from freezes where tenant_id = '${other.id}' returning 1`,
      `delete from actuators where tenant_id = '${other.id}' returning 1`,
      `update tenant_secrets set key_id = 'x' where tenant_id = '${other.id}' returning 1`,
      `update test_calls set taken_by = 'x' where tenant_id = '${other.id}' returning 1`,
    ]
    for (const text of touched) expect(await write(text)).toEqual([])
    const inserted = [
      `insert into actuators (tenant_id, name, kind, settings) values ('${other.id}', 'x', 'mock', '{}')`,
      `insert into freezes (tenant_id, freeze_id, reason, author) values ('${other.id}', 'x', 'x', '{}')`,
      `insert into unsigned_reports (tenant_id, report_id) values ('${other.id}', 'x')`,
      `insert into policy_revisions (tenant_id, revision, policy, policy_hash, author) values ('${other.id}', 99, '', '', '{}')`,
      `insert into tenant_secrets (tenant_id, name, version, actuator, bound_to, author) values ('${other.id}', 'x', 1, 'crm', '[]', '{}')`,
      `update actuators set tenant_id = '${other.id}'`,
    ]
    for (const text of inserted) expect(await codeOf(write(text))).toBe('42501')
  })

  it.each(['*', 'a,b'])('cannot be widened by a tenant called %s', async name => {
    expect(await codeOf(tenantsSeen([name], 'tenants'))).toBe('this is not the id of a tenant')
  })
})

describe('with the first wall taken away', () => {
  it('the product’s own queries about another tenant find nothing', async () => {
    const scope = [mine.id]
    const id = other.id
    const page = {
      tenantId: id,
      statuses: ['executed', 'pending_approval'] as const,
      limit: 10,
      before: null,
    }
    expect(await store.read(scope, reader => readAction(reader, id, theirs))).toBeNull()
    const wanted = { tenant_id: id, action_id: theirs, key_id: null }
    expect(await store.read(scope, reader => readVersions(reader, [wanted]))).toEqual([null])
    expect(await store.read(scope, reader => listActions(reader, page))).toEqual([])
    const { proposal } = await other.trace(theirs)
    const { proposal_id } = proposal
    expect(await store.read(scope, reader => readActionByProposal(reader, id, proposal_id))).toBeNull()
    expect(await store.read([id], reader => readActionByProposal(reader, id, proposal_id))).not.toBeNull()
    expect(await store.look(scope, query => readActiveDocuments(query, id))).toBeNull()
    expect(await store.look(scope, query => readFreezes(query, id))).toEqual([])
    expect(await store.look(scope, query => tenantExists(query, id))).toBe(false)
    expect(await store.look(scope, query => listKeys(query, id, { limit: 10, cursor: undefined }))).toEqual(
      [],
    )
    expect(
      await store.look(scope, query => listReports(query, id, { limit: 10, cursor: undefined })),
    ).toEqual([])
    expect(await store.look(scope, query => readPassingReport(query, id, 'basic'))).toBeNull()
    const listed = await store.look(scope, query => listTenants(query, { limit: 10, cursor: undefined }))
    expect(listed.map(({ policy }) => policy.tenant_id)).toEqual([mine.id])
    const key = other.agent.split('.')[0] ?? ''
    expect(await store.change(scope, query => revokeKey(query, id, key))).toBeNull()
  })

  it('a decision about another tenant’s action finds no action', async () => {
    const approve = await service.call('POST', `/v1/actions/${held}/approve`, {
      key: mine.approver,
      json: {},
    })
    expect(approve.status).toBe(404)
    expect((await other.trace(held)).status).toBe('pending_approval')
  })
})

describe('the runtime role', () => {
  it('owns nothing, may not bypass, and cannot become the owner or take the wall down', async () => {
    const [role] = await asSuperuser(
      service.database,
      `select rolsuper, rolbypassrls, rolcreaterole,
        (select count(*)::int4 from pg_class c where c.relowner = r.oid and c.relnamespace = 'action_gate'::regnamespace) as owned,
        pg_has_role('action_gate_runtime', 'action_gate_owner', 'member') as owner
       from pg_roles r where rolname = 'action_gate_runtime'`,
    )
    expect(role).toEqual({
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      owned: 0,
      owner: false,
    })
    const forbidden = [
      'alter table action_gate.actions disable row level security',
      'drop policy tenant_scope on action_gate.actions',
      'alter table action_gate.action_events disable trigger all',
      'create or replace function action_gate.in_scope(tenant text) returns boolean language sql as $$ select true $$',
    ]
    for (const statement of forbidden) {
      const code = await codeOf(
        asSuperuser(service.database, 'set session authorization action_gate_runtime', statement),
      )
      expect(code).toBe('42501')
    }
  })

  it('every table with a tenant has the wall', async () => {
    const rows = await asSuperuser<{ name: string }>(
      service.database,
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'action_gate' and c.relrowsecurity
         and exists (select from pg_policy p where p.polrelid = c.oid) order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual(tables)
  })
})
