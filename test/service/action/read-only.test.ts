import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { catalogChange } from '../../../shared/contract/examples/example-changes.ts'
import { openSigning } from '../../../shared/runtime/secrets/service-keys.ts'
import { openLogKeeper } from '../../../worker/log-publisher.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import type { Call } from '../../support/service/http.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { type PlantedOperator, plantOperator } from '../../support/service/plant-operator.ts'
import { plantWebhook } from '../../support/service/plant-webhook.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant
let owner: TestOwner
let operator: PlantedOperator
let held: string
let due: string
const webhook = { webhook_id: '', delivery_id: '' }
/** As it is before the first test and after each, since none of them writes. */
let before: Record<string, string>

/** What a worker does for the logs, once, so that there is something of them to read. */
async function signLogs({ context }: TestService): Promise<void> {
  const logs = await openLogKeeper(context, openSigning(context.config, null))
  await logs.tell()
  await logs.keep()
}

/** Without a worker nobody but a request can write; one action is held, one is due for execution. */
beforeAll(async () => {
  service = await startService({
    worker: null,
    env: {
      SERVICE_SUBMIT_WAIT_MS: '0',
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_STREAM_MS_MAX: '100',
    },
  })
  tenant = await service.tenant()
  owner = await signUp(service.call)
  await asSuperuser(
    service.database,
    `update action_gate.tenant_owners set tenant_id = '${tenant.id}' where tenant_id = '${owner.tenant_id}'`,
  )
  held = (await tenant.submit({ risk: 'high' })).body.action_id
  due = (await tenant.submit()).body.action_id
  await service.call('POST', `/v1/tenants/${tenant.id}/catalog`, {
    admin: service.admin,
    json: catalogChange,
  })
  operator = await plantOperator(service.context)
  Object.assign(webhook, await plantWebhook(service.context, tenant.id))
  // Whoever stays longer than a minute is put off once, which a slow machine takes for all of this: nobody is due for that.
  await asSuperuser(
    service.database,
    `update action_gate.sessions set idle_expires_at = idle_expires_at + interval '1 hour'`,
    `update action_gate.operator_sessions set idle_expires_at = idle_expires_at + interval '10 minutes'`,
  )
  await signLogs(service)
  const rung = async () => expect((await everything())['bullmq.job']).toMatch(/^1 rows/)
  await vi.waitFor(rung, { timeout: 10_000 })
  before = await everything()
})

afterAll(() => service.close())

/** Every row of every table with the transaction that wrote it, the queue's too, and where each sequence stands. */
async function everything(): Promise<Record<string, string>> {
  const tables = await asSuperuser<{ name: string }>(
    service.database,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('action_gate', 'bullmq') order by 1`,
  )
  const digests = tables.map(
    ({ name }) => `select '${name}' as place,
      count(*) || ' rows ' || md5(coalesce(string_agg(xmin::text || t::text, ';' order by xmin::text || t::text), '')) as content
      from ${name} t`,
  )
  const sequences = `select sequencename, last_value::text from pg_sequences where schemaname like 'action_gate%'`
  const found = await asSuperuser<{ place: string; content: string }>(
    service.database,
    [...digests, sequences].join(' union all '),
  )
  return Object.fromEntries(found.map(({ place, content }) => [place, content]))
}

const reading = Object.values(endpoints as Record<string, Endpoint>)
  .filter(({ method }) => method === 'GET')
  .map(({ path, access }) => ({ path, access }))

describe('reading', () => {
  it.each(reading)('GET $path writes nothing', async ({ path, access }) => {
    const by = (call: Call) => (method: string, place: string) => service.call(method, place, call)
    const as = {
      none: by({}),
      agent: by({ key: tenant.agent }),
      agent_or_approver: by({ key: tenant.agent }),
      approver: by({ key: tenant.approver }),
      admin: by({ admin: service.admin }),
      operator: by({ headers: operator.headers }),
      session: owner.browser.call,
      member: owner.browser.call,
    }
    for (const id of [held, due]) {
      const place = path
        .replace('{action_id}', id)
        .replace('{tenant_id}', tenant.id)
        .replace('{name}', 'proposal')
        .replace('{system}', 'crm')
        .replace('{revision}', '1')
        .replace('{webhook_id}', webhook.webhook_id)
        .replace(/inclusion$/, 'inclusion?index=0')
        .replace(/jobs$/, 'jobs?view=due')
        .replace(/inbox\/groups$/, 'inbox/groups?by=system')
      const isHeld = id === held || !/\/approvals\/\{action_id\}(\/review)?$/.test(path)
      for (const method of ['GET', 'HEAD']) {
        expect((await as[access](method, place)).status).toBe(isHeld ? 200 : 404)
      }
    }
    expect(await everything()).toEqual(before)
  })

  it('waiting for an action that is due neither runs nor reclaims it', async () => {
    const { status, body } = await service.call('GET', `/v1/actions/${due}?wait=1`, { key: tenant.agent })
    expect({ status, now: body.status }).toEqual({ status: 200, now: 'execution_pending' })
    expect(await everything()).toEqual(before)
  })
})

describe('what changes nothing', () => {
  it('validating a policy writes nothing', async () => {
    await service.call('POST', '/v1/policies/validate', { admin: service.admin, json: plainPolicy })
    expect(await everything()).toEqual(before)
  })

  it('checking a proposal and replaying what was recorded, under drafts, write nothing', async () => {
    const policy = { ...plainPolicy, approval_required_at: 'high' }
    const { admin } = service
    for (const [draft, json] of [
      ['check', { proposal: proposal({ risk: 'medium' }), policy, catalog: catalogChange.catalog }],
      ['replay', { policy, catalog: catalogChange.catalog }],
    ] as const) {
      const path = `/v1/tenants/${tenant.id}/policy/${draft}`
      expect((await service.call('POST', path, { admin, json })).status).toBe(200)
    }
    expect(await everything()).toEqual(before)
  })

  it('what is refused writes nothing', async () => {
    const { key, json } = { key: tenant.agent, json: proposal() }
    const refused = [
      await service.call('POST', '/v1/actions', { json }),
      await service.call('POST', '/v1/actions', { key: tenant.approver, json }),
      await service.call('POST', '/v1/actions', { key, json: { ...json, extra: 1 } }),
      await service.call('POST', '/v1/actions', { key, raw: '{' }),
      await tenant.approve(due),
      await tenant.reject(due),
      await service.call('POST', `/v1/actions/${held}/approve`, { key, json: {} }),
      await service.call('PUT', `/v1/tenants/${tenant.id}/policy`, { admin: service.admin, json: {} }),
      await service.call('PUT', `/v1/tenants/${tenant.id}/catalog`, { admin: service.admin, json: {} }),
      await service.call('POST', `/v1/tenants/${tenant.id}/freeze`, { admin: service.admin, json: {} }),
      await service.call('POST', '/v1/tenants', { admin: service.admin, json: { tenant_id: tenant.id } }),
      await service.call('DELETE', `/v1/actions/${held}`, { key }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([
      401, 403, 400, 400, 409, 409, 403, 400, 400, 400, 400, 405,
    ])
    expect(await everything()).toEqual(before)
  })

  it('a repeated proposal, an identical policy and an identical catalog write nothing', async () => {
    await service.call('PUT', `/v1/tenants/${tenant.id}/policy`, { admin: service.admin, json: plainPolicy })
    await service.call('PUT', `/v1/tenants/${tenant.id}/catalog`, {
      admin: service.admin,
      json: catalogChange,
    })
    const [first] = await asSuperuser<{ proposal_id: string; payload: string }>(
      service.database,
      `select proposal_id, convert_from(payload, 'UTF8') as payload
       from action_gate.actions join action_gate.event_payloads using (action_id)
       where action_id = '${due}' and sequence = 0`,
    )
    const again = await service.call('POST', '/v1/actions', { key: tenant.agent, raw: first?.payload ?? '' })
    expect(again.status).toBe(202)
    expect(await everything()).toEqual(before)
  })
})
