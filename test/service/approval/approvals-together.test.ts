import { afterAll, beforeAll, expect, it } from 'vitest'
import { issueKey } from '../../../shared/flow/tenant/issue-key.ts'
import { revokeKey } from '../../../shared/store/tenant/api-keys.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { type DatabaseProxy, startProxy } from '../../support/servers/proxy.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

/** Decisions of the same moment, which share transactions: what is true of one alone is true of each of them. */
const many = 40

let database: FreshDatabase
let proxy: DatabaseProxy
let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  database = await freshDatabase()
  proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  service = await startService({
    database,
    databaseUrl: `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`,
    env: { SERVICE_APPROVE_WAIT_MS: '0' },
    worker: null,
  })
  tenant = await service.tenant()
})

afterAll(async () => {
  await service.close()
  await proxy.close()
  await database.drop()
})

function held(count: number, of = tenant): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => (await of.submit({ risk: 'high' })).body.action_id),
  )
}

const decisions = (ids: readonly string[]) =>
  asSuperuser<{ action_id: string; kind: string; transaction: string }>(
    database,
    `select action_id, kind, xmin::text as transaction from action_gate.action_events
     where action_id = any('{${ids.join(',')}}') and sequence > 1 order by action_id, sequence`,
  )

const endings = async (ids: readonly string[]) => (await decisions(ids)).map(({ kind }) => kind)
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status)

it('approvals of the same moment share transactions, and each gets its own answer', async () => {
  const ids = await held(many)
  const answers = await Promise.all(ids.map(id => tenant.approve(id)))
  expect(answers.map(({ status, body }) => `${status} ${body.action_id} ${body.action_status}`)).toEqual(
    ids.map(id => `202 ${id} execution_pending`),
  )
  const made = await decisions(ids)
  expect(made.map(({ kind }) => kind)).toEqual(ids.map(() => 'approval'))
  expect(new Set(made.map(({ transaction }) => transaction)).size).toBeLessThan(many / 2)
  const jobs = await asSuperuser<{ count: number }>(
    database,
    `select count(*)::int4 as count from action_gate.execution_jobs where action_id = any('{${ids.join(',')}}')`,
  )
  expect(jobs).toEqual([{ count: many }])
})

it('of decisions about one action that come together exactly one wins', async () => {
  const ids = await held(8)
  const asked = ids.flatMap(id => [
    tenant.approve(id),
    tenant.reject(id),
    tenant.approve(id),
    tenant.reject(id),
  ])
  const answers = statuses(await Promise.all(asked))
  const won = ids.map((_, at) => answers.slice(4 * at, 4 * at + 4).filter(status => status < 300))
  expect(won.map(each => each.length)).toEqual(ids.map(() => 1))
  expect(answers.filter(status => status === 409)).toHaveLength(3 * ids.length)
  expect(await endings(ids)).toHaveLength(ids.length)
})

it('a decision with a revoked key fails alone', async () => {
  const ids = await held(10)
  const issued = await issueKey(
    service.context,
    { name: 'revoked', scope: 'approver', tenant_id: tenant.id, expires_at: null },
    { source: 'test' },
  )
  const [id = ''] = ids
  const call = () => service.call('POST', `/v1/actions/${id}/approve`, { key: issued.api_key, json: {} })
  // Known as good to the process, and then revoked behind its back.
  expect(
    (await service.call('POST', '/v1/actions/act_none/approve', { key: issued.api_key, json: {} })).status,
  ).toBe(404)
  const [keyId = ''] = issued.api_key.split('.')
  await service.context.store.change([tenant.id], query => revokeKey(query, tenant.id, keyId))
  const answers = await Promise.all([call(), ...ids.slice(1).map(id => tenant.approve(id))])
  expect(statuses(answers)).toEqual([403, ...ids.slice(1).map(() => 202)])
})

it('an action of another tenant is not found, though that decides at the same moment', async () => {
  const other = await service.tenant()
  const [mine, theirs, wanted] = await Promise.all([held(5), held(5, other), held(5, other)])
  const answers = await Promise.all([
    ...mine.map(id => tenant.approve(id)),
    ...theirs.map(id => other.approve(id)),
    ...wanted.map(id => tenant.approve(id)),
  ])
  expect(statuses(answers)).toEqual([...mine, ...theirs].map(() => 202).concat(wanted.map(() => 404)))
  expect(await endings(wanted)).toEqual([])
})

it('a quorum of two counts each approver once, however often they come together', async () => {
  const pairs = await service.tenant({ policy: { ...plainPolicy, approvals_required: 2 } })
  const issued = await issueKey(
    service.context,
    { name: 'second', scope: 'approver', tenant_id: pairs.id, expires_at: null },
    { source: 'test' },
  )
  const ids = await held(6, pairs)
  const byBoth = ids.flatMap(id =>
    [pairs.approver, issued.api_key, pairs.approver, issued.api_key].map(key =>
      service.call('POST', `/v1/actions/${id}/approve`, { key, json: {} }),
    ),
  )
  await Promise.all(byBoth)
  expect(await endings(ids)).toEqual(ids.flatMap(() => ['partial_approval', 'approval']))
})

it('approvals whose commit lost its answer are answered as recorded, each once', async () => {
  const ids = await held(many)
  const before = proxy.commitsLost()
  proxy.loseNextCommit()
  const answers = await Promise.all(ids.map(id => tenant.approve(id)))
  expect(proxy.commitsLost()).toBe(before + 1)
  expect(statuses(answers)).toEqual(ids.map(() => 202))
  expect(await endings(ids)).toEqual(ids.map(() => 'approval'))
})

it('an approval that named its digests is found as recorded too', async () => {
  const [id = ''] = await held(1)
  const { proposal_hash, request_hash } = (await tenant.trace(id)).verdict
  const before = proxy.commitsLost()
  proxy.loseNextCommit()
  expect((await tenant.approve(id, { proposal_hash, request_hash })).status).toBe(202)
  expect(proxy.commitsLost()).toBe(before + 1)
  const again = await tenant.approve(id, { proposal_hash, request_hash })
  expect(again.body).toMatchObject({ code: 'action_not_approvable' })
  expect(await endings([id])).toEqual(['approval'])
})
