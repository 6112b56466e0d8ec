import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { everyRow } from '../../support/servers/every-row.ts'
import { logIn, newBrowser, signUp } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

/** Issue: a secret appears in one response and nowhere else: not in lists, logs, errors, metrics or the database. */
let service: TestService
const texts: string[] = []
let tenantId: string
let agent: string
let approver: string

beforeAll(async () => {
  service = await startService({
    platform: true,
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_STREAM_MS_MAX: '1000' },
  })
  tenantId = 'secretive'
  const admin = (method: string, path: string, json: object) =>
    service.call<{ api_key: string }>(method, path, { admin: service.admin, json })
  const made = await admin('POST', '/v1/tenants', {
    tenant_id: tenantId,
    policy: plainPolicy,
    mock_actuators: ['crm'],
  })
  agent = made.body.api_key
  const minted = await admin('POST', `/v1/tenants/${tenantId}/api-keys`, { name: 'lead', scope: 'approver' })
  approver = minted.body.api_key
  texts.push(withoutFirst(made.text, agent), withoutFirst(minted.text, approver))
})

afterAll(() => service.close())

/** The one place where a secret belongs is left out. */
function withoutFirst(text: string, secret: string): string {
  expect(text).toContain(secret)
  return text.replace(secret, '')
}

it('the secret of a key is in the answer that issued it, and in no other place', async () => {
  const proposal = (system: string, risk: string) => ({
    proposal_id: `p-${system}-${risk}`,
    actor: { agent_id: 'a' },
    summary: 's',
    action: { target_system: system, operation: 'read', parameters: {} },
    risk: { level: risk },
  })
  const keep = async (answer: Promise<{ text: string }>) => texts.push((await answer).text)
  for (const [system, risk] of [
    ['crm', 'low'],
    ['crm', 'high'],
    ['elsewhere', 'low'],
  ] as const)
    await keep(service.call('POST', '/v1/actions', { key: agent, json: proposal(system, risk) }))
  const listed = await service.call<{ approvals: { action_id: string }[] }>('GET', '/v1/approvals', {
    key: approver,
  })
  const [held] = listed.body.approvals
  await keep(
    service.call('POST', `/v1/actions/${held?.action_id}/approve`, { key: approver, json: { note: 'fine' } }),
  )
  const paths = Object.values(endpoints).flatMap(({ method, path, access }) =>
    method === 'GET' ? [{ path, access }] : [],
  )
  for (const { path, access } of paths) {
    const place = path
      .replace('{tenant_id}', tenantId)
      .replace('{action_id}', held?.action_id ?? '')
      .replace('{revision}', '1')
      .replace('{name}', 'proposal')
    const credential =
      access === 'admin'
        ? { admin: service.admin }
        : access === 'none'
          ? {}
          : { key: access === 'approver' ? approver : agent }
    await keep(service.call('GET', place, credential))
  }
  for (const key of [`${agent}x`, agent.replace('.', '.x'), approver])
    await keep(service.call('POST', '/v1/actions', { key, json: { wrong: true } }))
  await keep(service.call('GET', `/v1/actions?api_key=${agent.slice(0, 8)}`, { key: agent }))
  texts.push(
    service.logged(),
    await service.context.events.registry.metrics(),
    await everyRow(service.database),
  )

  for (const secret of [agent, approver, service.admin].map(key => key.split('.')[1] ?? '')) {
    expect(secret.length).toBeGreaterThan(30)
    expect(texts.filter(text => text.includes(secret))).toEqual([])
    expect(texts.filter(text => text.includes(Buffer.from(secret).toString('hex')))).toEqual([])
    expect(
      texts.filter(text => text.includes(Buffer.from(secret).toString('base64').replace(/=+$/, ''))),
    ).toEqual([])
  }
})

it('what an owner logs in with is in the database as hashes alone, and in no log', async () => {
  const { browser, password, ...owner } = await signUp(service.call)
  await logIn(browser, { ...owner, password })
  await logIn(newBrowser(service.call), { ...owner, password: `${password}, but wrong` })
  const refused = await service.call('POST', '/v1/accounts/signup', {
    json: { ...owner, password: [password] },
  })
  const wherever = [
    service.logged(),
    refused.text,
    await service.context.events.registry.metrics(),
    await everyRow(service.database),
  ]
  const { cookies, csrf } = browser
  const secrets = [password, csrf, ...cookies.values()].map(secret => secret ?? '')
  expect(secrets.map(({ length }) => length > 20)).toEqual([true, true, true, true])
  for (const secret of secrets) {
    const bytes = [Buffer.from(secret), Buffer.from(secret, 'base64url')].map(buffer =>
      buffer.toString('hex'),
    )
    for (const spelling of [secret, ...bytes]) {
      expect(wherever.filter(text => text.includes(spelling))).toEqual([])
    }
  }
})
