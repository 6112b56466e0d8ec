import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { FreezeState } from '../../../shared/contract/configuration/freeze-schema.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { waitingStatements } from '../../support/servers/waiting-statements.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { crm, plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

/** The answer to whoever stops a tenant means that nothing begins any more. */

/** What a claim that is about to commit waits for. */
const gate = 4_711
const gateSql = `
create function action_gate.wait_at_gate() returns trigger language plpgsql as $$
begin
  perform set_config('lock_timeout', '0', true);
  perform pg_advisory_xact_lock_shared(${gate});
  return new;
end $$`

let service: TestService
let tenant: TestTenant
let holder: postgres.Sql

beforeAll(async () => {
  service = await startService({ env: { SERVICE_STATEMENT_MS_MAX: '20000' } })
  await asSuperuser(
    service.database,
    gateSql,
    `create trigger wait_at_gate before insert on action_gate.action_events
     for each row when (new.kind = 'execution_attempt') execute function action_gate.wait_at_gate()`,
  )
  const { host, database, superuser: user } = service.database
  holder = postgres({ host, database, user, max: 1, onnotice: () => {} })
})

beforeEach(async () => {
  tenant = await make(service)
})

afterAll(async () => {
  await holder.end()
  await service.close()
})

function make(where: TestService): Promise<TestTenant> {
  return where.tenant({ policy: { ...plainPolicy, allowed_systems: ['crm'] }, actuators: [crm] })
}

it.each([
  ['a freeze', 'POST', 'freeze', { reason: 'stop' }],
  ['a freeze of an operation', 'POST', 'freeze', { reason: 'stop', operation: 'read' }],
  ['a pause', 'POST', 'pause', { reason: 'stop' }],
  ['a registration', 'PUT', 'actuators', { actuators: [{ ...crm, settings: { delay_ms: 1 } }] }],
] as const)('%s is answered after the claims that did not see it', async (_, method, path, json) => {
  await holder`select pg_advisory_lock(${gate})`
  const { action_id } = (await tenant.submit({}, { prefer: 'wait=0' })).body
  await expect.poll(() => waitingStatements(service.database), { timeout: 20_000 }).toBe(1)
  let answered = false
  const answer = service
    .call(method, `/v1/tenants/${tenant.id}/${path}`, { admin: service.admin, json })
    .then(async ({ status }) => {
      answered = true
      return { status, kinds: (await tenant.trace(action_id)).events.map(({ kind }) => kind) }
    })
  await expect
    .poll(async () => answered || (await waitingStatements(service.database)) >= 2, { timeout: 20_000 })
    .toBe(true)
  const early = answered
  await holder`select pg_advisory_unlock(${gate})`
  const { status, kinds } = await answer
  expect({ status, early }).toEqual({ status: 200, early: false })
  expect(kinds).toContain('execution_attempt')
})

it('a freeze holds, answered with 503 while a claim hangs and with 200 afterwards', async () => {
  const second = await startService({ env: { SERVICE_STATEMENT_MS_MAX: '500' }, worker: null })
  const { id } = await make(second)
  const { host, database, superuser: user } = second.database
  const hanging = postgres({ host, database, user, max: 1 })
  await hanging`select pg_advisory_lock(hashtextextended(${id}, 4701225003))`
  const freeze = () =>
    second.call<FreezeState & Problem>('POST', `/v1/tenants/${id}/freeze`, {
      admin: second.admin,
      json: { reason: 'stop' },
    })
  const refused = await freeze()
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
    503,
    'storage_unavailable',
    '1',
  ])
  expect(refused.body.detail).toContain('the change is in force')
  const { body } = await second.call<FreezeState>('GET', `/v1/tenants/${id}/freezes`, { admin: second.admin })
  expect(body.freezes).toMatchObject([{ effect: 'freeze', reason: 'stop' }])
  await hanging.end()
  expect((await freeze()).status).toBe(200)
  await second.close()
})
