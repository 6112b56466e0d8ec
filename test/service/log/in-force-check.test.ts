import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ConfigEventKind } from '../../../shared/contract/action/audit.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { changeConfig } from '../../../shared/flow/core/change-config.ts'
import type { Counters } from '../../../shared/flow/database-check/check-counters.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { copyOf, tamper } from '../../support/audit/tamper.ts'
import { secretsEnvironment } from '../../support/fixtures/secrets-keys.ts'
import { webhookEnvironment } from '../../support/fixtures/webhook-receiver.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { type Configured, configureTenant } from '../../support/service/configured-tenant.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'

/** What is in force is what the events of the configuration stream come to: whatever else is stored is found. */

const id = 'watched'
const where = `configuration of ${id}`
const ofTenant = `where tenant_id = '${id}'`
const hash = `'sha256:' || repeat('0', 64)`
let original: FreshDatabase
const copies: FreshDatabase[] = []
let made: Configured

beforeAll(async () => {
  original = await freshDatabase()
  const service = await startService({
    database: original,
    env: { ...webhookEnvironment, SERVICE_SECRETS_KEY: secretsEnvironment.SERVICE_SECRETS_KEY },
  })
  await service.tenant({ issued: true })
  made = await configureTenant(service, id)
  await service.close()
})
afterEach(async () => {
  for (const copy of copies.splice(0)) await copy.drop()
})
afterAll(() => original.drop())

/** A copy where these statements were run. */
async function spoilt(...statements: string[]): Promise<FreshDatabase> {
  const copy = await copyOf(original)
  copies.push(copy)
  await tamper(copy, ...statements)
  return copy
}

function check(database: FreshDatabase): Promise<Counters> {
  const url = databaseUrl(database)
  return checkDatabase({ url, trusted: [], kept: [], resume: null, onPage: () => undefined })
}

/** What is found in a copy where these statements were run. */
async function problemsAfter(...statements: string[]): Promise<string[]> {
  const { differences } = await check(await spoilt(...statements))
  expect(differences.found).toBe(differences.listed.length)
  return differences.listed.map(found => `${found.where}: ${found.problem}`)
}

it('nothing is found where nothing was done', async () => {
  const { differences, counted } = await check(original)
  expect(differences).toEqual({ found: 0, listed: [] })
  expect(counted).toMatchObject({ tenants: 2, in_force: 27 })
})

type Case = [name: string, statement: () => string, problem: () => string]

async function finds(_: string, statement: () => string, problem: () => string): Promise<void> {
  expect(await problemsAfter(statement())).toEqual([expect.stringContaining(`${where}: ${problem()}`)])
}

describe('of keys', () => {
  it.each<Case>([
    [
      'one that was inserted',
      () =>
        `insert into api_keys (key_id, tenant_id, scope, name, secret_hash) values ('apk_x', '${id}', 'approver', 'x', sha256('x'))`,
      () => 'key apk_x: it is stored, and no event put it in force',
    ],
    [
      'one that may more',
      () => `update api_keys set scope = 'agent' where key_id = '${made.lead}'`,
      () => `key ${made.lead}: scope is "agent" and by the events "approver"`,
    ],
    [
      'one that is somebody else’s',
      () => `update api_keys set holder = 'name:x' where key_id = '${made.second}'`,
      () => `key ${made.second}: holder is "name:x" and by the events "name:lead"`,
    ],
    [
      'one that does not expire any more',
      () => `update api_keys set expires_at = null where key_id = '${made.ended}'`,
      () => `key ${made.ended}: expires_at is null and by the events "2031-01-31T22:00:00.999+00:00"`,
    ],
    [
      'one that is not revoked any more',
      () => `update api_keys set revoked_at = null where key_id = '${made.revoked}'`,
      () => `key ${made.revoked}: revoked is false and by the events true`,
    ],
    [
      'one that was revoked',
      () => `update api_keys set revoked_at = now() where key_id = '${made.lead}'`,
      () => `key ${made.lead}: revoked is true and by the events false`,
    ],
    [
      'one that was deleted',
      () => `delete from api_keys where key_id = '${made.lead}'`,
      () => `key ${made.lead}: the events say that it is in force, and it is not stored`,
    ],
  ])('%s', finds)
})

describe('of policies', () => {
  it.each<Case>([
    [
      'a revision that was inserted',
      () =>
        `insert into policy_revisions select tenant_id, 9, policy, policy_hash, catalog_hash, author from policy_revisions ${ofTenant} and revision = 1`,
      () => 'policy revision 9: it is stored, and no event put it in force',
    ],
    [
      'a document that was changed',
      () => `update policy_revisions set policy = '{}' ${ofTenant} and revision = 4`,
      () => 'policy revision 4: document_hash is "sha256:',
    ],
    [
      'a document with its hash',
      () => `update policy_revisions new set policy = old.policy, policy_hash = old.policy_hash from policy_revisions old
           where old.tenant_id = '${id}' and old.revision = 1 and new.tenant_id = '${id}' and new.revision = 4`,
      () => 'policy revision 4: policy_hash is "sha256:',
    ],
    [
      'another author',
      () => `update policy_revisions set author = '{"source": "x"}' ${ofTenant} and revision = 1`,
      () => 'policy revision 1: author is "x" and by the events "adk_',
    ],
    [
      'another revision in force',
      () => `update tenants set policy_revision = 1 ${ofTenant}`,
      () => 'policy in force: revision is 1 and by the events 4',
    ],
    [
      'a revision that was deleted',
      () => `delete from policy_revisions ${ofTenant} and revision = 2`,
      () => 'policy revision 2: the events say that it is in force, and it is not stored',
    ],
  ])('%s', finds)
})

describe('of freezes', () => {
  it.each<Case>([
    [
      'one that was inserted',
      () =>
        `insert into freezes (tenant_id, freeze_id, effect, operation, reason, author) values ('${id}', 'frz_x', 'pause', 'x', 'x', '{}')`,
      () => 'pause {"operation": "x"}: it is stored, and no event put it in force',
    ],
    [
      'one with another reason',
      () => `update freezes set reason = 'x' ${ofTenant} and effect = 'freeze'`,
      () => 'freeze {"system": "mail"}: reason is "x" and by the events "stop"',
    ],
    [
      'one that was lifted',
      () => `delete from freezes ${ofTenant} and effect = 'freeze'`,
      () => 'freeze {"system": "mail"}: the events say that it is in force, and it is not stored',
    ],
  ])('%s', finds)
})

describe('of catalogs', () => {
  it.each<Case>([
    [
      'a revision that was inserted',
      () =>
        `insert into catalog_revisions select tenant_id, 9, catalog, catalog_hash, author from catalog_revisions ${ofTenant} and revision = 1`,
      () => 'catalog revision 9: it is stored, and no event put it in force',
    ],
    [
      'a document that was changed',
      () => `update catalog_revisions set catalog = '{}' ${ofTenant} and revision = 2`,
      () => 'catalog revision 2: document_hash is "sha256:',
    ],
    [
      'none in force any more',
      () => `update tenants set catalog_revision = null ${ofTenant}`,
      () => 'catalog in force: the events say that it is in force, and it is not stored',
    ],
    [
      'a revision that was deleted',
      () => `delete from catalog_revisions ${ofTenant} and revision = 1`,
      () => 'catalog revision 1: the events say that it is in force, and it is not stored',
    ],
  ])('%s', finds)
})

describe('of actuators', () => {
  it.each<Case>([
    [
      'one that was inserted',
      () => `insert into actuators values ('${id}', 'mail', 'mock', '{}')`,
      () => 'actuator mail: it is stored, and no event put it in force',
    ],
    [
      'one that was changed',
      () => `update actuators set settings = '{"fail": true}' ${ofTenant}`,
      () => 'actuator crm: settings is {"fail":true} and by the events {}',
    ],
    [
      'one that was deleted',
      () => `delete from actuators ${ofTenant}`,
      () => 'actuator crm: the events say that it is in force, and it is not stored',
    ],
  ])('%s', finds)
})

describe('of webhooks', () => {
  it.each<Case>([
    [
      'one that was inserted',
      () =>
        `insert into webhooks (webhook_id, tenant_id, url, event_types, enabled, position) values ('wh_x', '${id}', 'https://x', '[]', true, 0)`,
      () => 'webhook wh_x: it is stored, and no event put it in force',
    ],
    [
      'one that goes elsewhere',
      () => `update webhooks set url = 'https://x' where webhook_id = '${made.kept}'`,
      () => `webhook ${made.kept}: url is "https://x" and by the events "https://hooks.example.org/one"`,
    ],
    [
      'one with the secret of before',
      () => `update webhooks set generation = 1 where webhook_id = '${made.kept}'`,
      () => `webhook ${made.kept}: generation is 1 and by the events 2`,
    ],
    [
      'one that is silent',
      () => `update webhooks set enabled = false, disabled_reason = 'gone' where webhook_id = '${made.kept}'`,
      () => `webhook ${made.kept}: enabled is false and by the events true, disabled_reason is "gone"`,
    ],
    [
      'one that was deleted',
      () => `delete from webhooks where webhook_id = '${made.off}'`,
      () => `webhook ${made.off}: the events say that it is in force, and it is not stored`,
    ],
  ])('%s', finds)
})

describe('of secrets', () => {
  it.each<Case>([
    [
      'one that was inserted',
      () =>
        `insert into tenant_secrets select tenant_id, 'planted', version, actuator, bound_to, sealed, wrapped_key, key_id, author from tenant_secrets ${ofTenant} and name = 'kept'`,
      () => 'secret planted: it is stored, and no event put it in force',
    ],
    [
      'one that goes somewhere else',
      () => `update tenant_secrets set bound_to = '["https://evil.example"]' ${ofTenant} and name = 'kept'`,
      () =>
        'secret kept: bound_to is ["https://evil.example"] and by the events ["https://api2.shop.example"]',
    ],
    [
      'another value under a later version',
      () => `update tenant_secrets set version = 9, sealed = 'x' ${ofTenant} and name = 'replaced'`,
      () => 'secret replaced: version is 9 and by the events 2',
    ],
    [
      'one that says that it was used',
      () => `update tenant_secrets set first_used_at = now() ${ofTenant} and name = 'kept'`,
      () => 'secret kept: used is true and by the events false',
    ],
    [
      'one that was taken away',
      () =>
        `update tenant_secrets set sealed = null, wrapped_key = null, key_id = null ${ofTenant} and name = 'kept'`,
      () => 'secret kept: the events say that it is in force, and it is not stored',
    ],
  ])('%s', finds)
})

describe('of what was proved', () => {
  it.each<Case>([
    [
      'a report that was inserted',
      () =>
        `insert into verification_reports select tenant_id, 'vrp_x', created_at, kind, mode, result, policy_hash, catalog_hash, report_hash, body, queries from verification_reports ${ofTenant}`,
      () => 'verification report vrp_x: it is stored, and no event put it in force',
    ],
    [
      'one that is about another policy',
      () => `update verification_reports set policy_hash = ${hash} ${ofTenant}`,
      () => `verification report ${made.report}: policy_hash is "sha256:0000`,
    ],
    [
      'a report that was changed',
      () => `update verification_reports set body = '{}' ${ofTenant}`,
      () => `verification report ${made.report}: document_hash is "sha256:`,
    ],
    [
      'a report that was deleted',
      () => `delete from verification_reports ${ofTenant}`,
      () => `verification report ${made.report}: the events say that it is in force, and it is not stored`,
    ],
    [
      'a gate that was opened',
      () => `update tenants set verification_gate = false ${ofTenant}`,
      () => 'verification gate: required is false and by the events true',
    ],
  ])('%s', finds)
})

it('a key of a tenant that is not there is found', async () => {
  const statement = `insert into api_keys (key_id, tenant_id, scope, name, secret_hash) values ('apk_x', 'to be', 'approver', 'x', sha256('x'))`
  expect(await problemsAfter(statement)).toEqual(['api_keys: there are rows of to be, which is not there'])
})

it('of many differences the first are listed, and all are counted', async () => {
  const statement = `insert into api_keys (key_id, tenant_id, scope, name, secret_hash)
    select 'apk_' || n, '${id}', 'approver', 'x', sha256('x') from generate_series(1, 150) n`
  const { differences } = await check(await spoilt(statement))
  expect({ found: differences.found, listed: differences.listed.length }).toEqual({ found: 150, listed: 100 })
})

it('keys in a database of their own are told of as not proven', async () => {
  const { differences, unproven } = await check(await spoilt('delete from api_keys'))
  expect(differences).toEqual({ found: 0, listed: [] })
  expect(unproven['keys that are not in this database']).toEqual({ count: 7, first: expect.any(String) })
})

describe('a service that goes on', () => {
  let database: FreshDatabase
  let service: TestService

  beforeEach(async () => {
    database = await spoilt()
    service = await startService({ database, worker: null })
  })
  afterEach(() => service.close())

  /** An event as nobody records it now. */
  const record = (kind: ConfigEventKind, payload: JsonObject) =>
    changeConfig(service.context, id, { source: 'test' }, async () => ({
      answer: null,
      entry: { kind, payload },
    }))

  it('and changes what is in force meanwhile is no difference', async () => {
    let isDone = false
    const send = async (method: string, path: string, json: object = {}) =>
      (
        await service.call<{ key: { key_id: string } }>(method, `/v1/tenants/${id}/${path}`, {
          admin: service.admin,
          json,
        })
      ).body
    const changing = async (what: string) => {
      while (!isDone) {
        const { key } = await send('POST', 'api-keys', { name: what })
        await send('POST', 'freeze', { reason: 'x', operation: what })
        await send('PUT', 'actuators', { actuators: [{ name: what, kind: 'mock', settings: {} }] })
        await send('POST', 'unfreeze', { reason: 'y', operation: what })
        await send('POST', `api-keys/${key.key_id}/revoke`)
      }
    }
    const load = Promise.all([changing('one'), changing('other')])
    const counts: number[] = []
    try {
      for (let round = 0; round < 8; round += 1) {
        const { differences, counted } = await check(database)
        expect(differences).toEqual({ found: 0, listed: [] })
        counts.push(counted.in_force)
      }
    } finally {
      isDone = true
      await load
    }
    expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0)
  })

  it('with events from before they said who holds a key, or what a freeze stops', async () => {
    await record('key_issued', { key_id: 'agk_old', name: 'old', scope: 'agent', expires_at: null })
    await record('freeze', { reason: 'old', system: 'old', operation: null, key_id: null })
    await tamper(
      database,
      `insert into api_keys (key_id, tenant_id, scope, name, secret_hash, holder) values ('agk_old', '${id}', 'agent', 'old', sha256('x'), 'name:old')`,
      `insert into freezes (tenant_id, freeze_id, system, reason, author) values ('${id}', 'frz_old', 'old', 'old', '{"source": "test"}')`,
    )
    expect((await check(database)).differences).toEqual({ found: 0, listed: [] })
  })

  it('with an event that no service wrote differs, and does not end the check', async () => {
    await record('key_issued', { key_id: 'agk_x', name: 'x', scope: 'agent', expires_at: 'soon' })
    expect((await check(database)).differences.listed).toEqual([
      {
        where,
        problem:
          'an event of it cannot be read: invalid input syntax for type timestamp with time zone: "soon"',
      },
    ])
  })
})
