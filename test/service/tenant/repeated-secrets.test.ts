import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HttpAuth } from '../../../shared/contract/base/http-auth.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import { canary } from '../../support/audit/kept-logs.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { leaksIn, repeating } from '../../support/fixtures/repeated-forms.ts'
import { secretsEnvironment } from '../../support/fixtures/secrets-keys.ts'
import { everyRow } from '../../support/servers/every-row.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

/** A downstream that repeats what it was sent, in every form, by every way in which it is read. */
let service: TestService
let tenant: TestTenant
let echo: Downstream

const special = `/+ =&"q'%~(k)`
const token = 'access-token/+~of.a.client=='
const stored = (name: string) => ({ secret: `of_${name}` })
/** How each system proves who sends, with a stored secret of its own. */
const auths: Readonly<Record<string, (url: string) => HttpAuth>> = {
  bearer: () => ({ type: 'bearer', token: stored('bearer') }),
  basic: () => ({ type: 'basic', username: 'shop', password: stored('basic') }),
  query: () => ({ type: 'query', name: 'key', value: stored('query') }),
  client: url => ({
    type: 'oauth2_client_credentials',
    token_url: `${url}/token`,
    client_id: 'shop',
    client_secret: stored('client'),
  }),
  refused: url => ({
    type: 'oauth2_client_credentials',
    token_url: `${url}/denied`,
    client_id: 'shop',
    client_secret: stored('refused'),
    client_authentication: 'post',
  }),
}
const systems = Object.keys(auths)
const values = new Map(systems.map(name => [name, `${canary(`repeated-${name}`)}${special}`]))
/** What a system has been sent, proofs of addresses by the operation that told them. */
const proofs = new Map<string, string>()
const sentTo = (system: string, operation: string): string[] => {
  const proof = proofs.get(`${system}/${operation}`)
  const sent = system === 'client' ? [token] : []
  return [values.get(system) ?? '', ...sent, ...(proof === undefined ? [] : [proof])]
}

const ends = {
  done_when: { path: 'state', equals: 'done' },
  failed_when: { path: 'state', equals: 'failed' },
} as const

/** What each operation comes to, by the way in which its downstream is read last. */
const comesTo = {
  done: 'executed',
  refused: 'execution_failed',
  polled: 'executed',
  poll_failed: 'execution_failed',
  called_back: 'executed',
  callback_failed: 'execution_failed',
  in_doubt: 'outcome_unknown',
} as const
const operations = Object.keys(comesTo) as (keyof typeof comesTo)[]

function registered(name: string, url: string): RegisteredActuator {
  const base_url = `${url}/${name}`
  const auth = auths[name]?.(base_url)
  const of = (operation: string) => {
    const request = { method: 'POST', path: `/${operation}` }
    const notified = { ...request, body: { notify: '{callback_url}' } }
    if (operation.startsWith('poll')) {
      return { ...request, completion: { poll: { ...ends, interval_ms: 100 }, deadline_ms: 20_000 } }
    }
    return operation.startsWith('call')
      ? { ...notified, completion: { callback: ends, deadline_ms: 20_000 } }
      : request
  }
  const requests = Object.fromEntries(operations.map(operation => [operation, of(operation)]))
  return { name, kind: 'http', settings: { base_url, auth, operations: requests } } as RegisteredActuator
}

beforeAll(async () => {
  echo = await startDownstream(({ method, url, body }, response) => {
    const { pathname } = new URL(url, 'http://echo')
    const [, system = '', operation = ''] = pathname.split('/')
    const repeated = () => repeating(sentTo(system, operation))
    const says = (status: number, more: object = {}, headers = {}) =>
      void response.writeHead(status, headers).end(JSON.stringify({ ...repeated(), ...more }))
    const json = { 'content-type': 'application/json' }
    const error_description = JSON.stringify(repeated())
    const state = operation.endsWith('failed') ? 'failed' : 'done'
    const accept = () => says(202, {}, { location: `${pathname}/7` })
    const answers: Record<string, () => void> = {
      denied: () => says(400, { error: 'invalid_client', error_description }, json),
      token: () => says(200, { access_token: token, token_type: 'Bearer', expires_in: 600 }, json),
      done: () => says(200),
      refused: () => says(422),
      in_doubt: () => says(500),
      polled: accept,
      poll_failed: accept,
    }
    if (method === 'GET') return says(200, { state })
    const answer = answers[operation]
    if (answer) return answer()
    const { notify } = JSON.parse(body) as { notify: string }
    proofs.set(`${system}/${operation}`, notify.slice(notify.lastIndexOf('.') + 1))
    const told = { method: 'POST', headers: json, body: JSON.stringify({ ...repeated(), state }) }
    void fetch(notify, told).then(() => response.writeHead(202).end('{}'))
  })
  service = await startService({
    env: {
      ...secretsEnvironment,
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_SWEEP_MS: '100',
      SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  })
  tenant = await service.tenant({
    policy: { ...plainPolicy, allowed_systems: systems },
    actuators: systems.map(name => registered(name, echo.url)),
  })
  for (const [name, value] of values) {
    const path = `/v1/tenants/${tenant.id}/secrets/of_${name}`
    const put = await service.call('PUT', path, { admin: service.admin, json: { actuator: name, value } })
    expect(put.status, JSON.stringify(put.body)).toBe(200)
  }
})

afterAll(async () => {
  await service.close()
  await echo.close()
})

/** All that anybody can read of an action, the last error of its job among it. */
async function toldOf(id: string): Promise<string> {
  const [trace, exported] = await Promise.all([
    service.call('GET', `/v1/actions/${id}`, { key: tenant.agent }),
    service.call('GET', `/v1/actions/${id}/audit-export`, { key: tenant.agent }),
  ])
  expect([trace.status, exported.status]).toEqual([200, 200])
  return trace.text + exported.text
}

it.each(operations)('an operation that is %s tells no secret of any kind in any form', async operation => {
  const ended = systems.slice(0, -1).map(async system => {
    const { body } = await tenant.submit({ system, operation })
    await expect
      .poll(async () => (await tenant.trace(body.action_id)).status, { timeout: 20_000 })
      .toBe(comesTo[operation])
    return leaksIn(await toldOf(body.action_id), sentTo(system, operation))
  })
  expect((await Promise.all(ended)).flat()).toEqual([])
})

it('a refusal of the token endpoint tells no secret in the last error of its job', async () => {
  const { body } = await tenant.submit({ system: 'refused', operation: 'done' })
  await expect.poll(async () => (await tenant.trace(body.action_id)).job?.last_error).toBe('token_refused')
  expect(leaksIn(await toldOf(body.action_id), sentTo('refused', 'done'))).toEqual([])
})

it('no row, log or metric holds what was repeated, once callbacks are forgotten', async () => {
  const { database } = service
  await asSuperuser(
    database,
    `update action_gate.dispatched_operations set kept_at = kept_at - interval '2 minutes'`,
  )
  const left = () => asSuperuser(database, 'select from action_gate.dispatched_operations')
  await expect.poll(left, { timeout: 20_000 }).toEqual([])
  const sent = [...values.values(), token, ...proofs.values()]
  const { events } = service.context
  const places = [await everyRow(database), service.logged(), await events.registry.metrics()]
  expect(places.map(text => leaksIn(text, sent))).toEqual(places.map(() => []))
})
