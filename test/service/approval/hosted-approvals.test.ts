import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DecisionResponse, Trace } from '../../../shared/contract/action/action.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { approveAction } from '../../../shared/flow/action/decide-approval.ts'
import { hashSecret } from '../../../shared/runtime/secrets/secret.ts'
import { idTracer } from '../../../shared/runtime/telemetry/open-tracer.ts'
import { waitingStatements } from '../../support/servers/waiting-statements.ts'
import { logIn, newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'

let service: TestService
let owner: TestOwner
let approver: string
let sql: postgres.Sql

beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' } })
  owner = await signUp(service.call)
  const { host, database, superuser } = service.database
  sql = postgres({ host, database, user: superuser, max: 2 })
  const policy = { ...plainPolicy, allowed_systems: ['helpdesk'] }
  expect((await owner.browser.call('PUT', owner.path('/policy'), { json: policy })).status).toBe(200)
  const json = { name: 'lead', scope: 'approver' }
  const minted = await owner.browser.call<{ api_key: string }>('POST', owner.path('/api-keys'), { json })
  approver = minted.body.api_key
})

afterAll(async () => {
  await sql.end()
  await service.close()
})

async function held(): Promise<string> {
  const json = proposal({ system: 'helpdesk', risk: 'high' })
  const { body } = await service.call<Verdict>('POST', '/v1/actions', { key: owner.agent, json })
  expect(body.action_status).toBe('pending_approval')
  return body.action_id
}

type Decided = DecisionResponse & Problem

const byOwner = (
  id: string,
  verb: string,
  { browser, json = {} }: { browser?: TestOwner['browser']; json?: object } = {},
) => (browser ?? owner.browser).call<Decided>('POST', owner.path(`/actions/${id}/${verb}`), { json })
const byKey = (id: string, verb: string) =>
  service.call<Decided>('POST', `/v1/actions/${id}/${verb}`, { key: approver, json: {} })
const statusOf = async (id: string) =>
  (await service.call<Trace>('GET', `/v1/actions/${id}`, { key: owner.agent })).body.status

describe('an owner', () => {
  it('who logs out while a read waits is shown nothing that came after', async () => {
    const id = await held()
    const browser = newBrowser(service.call)
    await logIn(browser, owner)
    const waits = vi.spyOn(service.context.watch, 'changed')
    const waiting = browser.call<Pick<Trace, 'events'> & Problem>('GET', owner.path(`/actions/${id}?wait=30`))
    await expect.poll(() => waits.mock.calls.length).toBe(1)
    await browser.call('POST', '/v1/accounts/logout', { json: {} })
    await byKey(id, 'reject')
    const { status, body } = await waiting
    expect([status, body.code, body.events]).toEqual([401, 'session_required', undefined])
    waits.mockRestore()
  })

  it('reads one held action of the application, and no other owner does', async () => {
    const id = await held()
    const path = owner.path(`/approvals/${id}`)
    const { status, body } = await owner.browser.call<{ action_id: string }>('GET', path)
    expect([status, body.action_id]).toEqual([200, id])
    const stranger = await signUp(service.call)
    expect((await stranger.browser.call<Problem>('GET', path)).body.code).toBe('tenant_not_found')
    await byOwner(id, 'reject')
    expect((await owner.browser.call<Problem>('GET', path)).body.code).toBe('action_not_found')
  })

  it('finds what waits, approves it and sees it executed, recorded under the account', async () => {
    const id = await held()
    const { body: inbox } = await owner.browser.call<{ approvals: { action_id: string }[] }>(
      'GET',
      owner.path('/approvals'),
    )
    expect(inbox.approvals.map(({ action_id }) => action_id)).toContain(id)
    const { status, body } = await byOwner(id, 'approve', { json: { note: 'fine' } })
    expect({ status, action_status: body.action_status }).toEqual({ status: 200, action_status: 'executed' })
    const { body: trace } = await owner.browser.call<Trace>('GET', owner.path(`/actions/${id}`))
    expect(trace.approval).toMatchObject({
      decision: 'approved',
      principal: { id: owner.account_id, kind: 'owner' },
      note: 'fine',
    })
    expect(trace.events.find(({ kind }) => kind === 'approval')?.body).toMatchObject({ name: owner.email })
    const exported = await owner.browser.call('GET', owner.path(`/actions/${id}/audit-export`))
    expect(exported).toMatchObject({ status: 200 })
    const { body: listed } = await owner.browser.call<{ actions: { action_id: string }[] }>(
      'GET',
      owner.path('/actions'),
    )
    expect(listed.actions.map(({ action_id }) => action_id)).toContain(id)
  })

  it('is told where to poll with a session', async () => {
    const id = await held()
    const path = owner.path(`/actions/${id}/approve`)
    const answer = await owner.browser.call<Decided>('POST', path, {
      json: {},
      headers: { prefer: 'wait=0' },
    })
    const { status, body, headers } = answer
    if (status === 202) expect(body.polling_url).toBe(owner.path(`/actions/${id}`))
    expect(headers.location).toBe(body.polling_url)
    await expect.poll(() => statusOf(id)).toBe('executed')
  })

  it('approves nothing but what was shown', async () => {
    const id = await held()
    const json = { proposal_hash: `sha256:${'0'.repeat(64)}` }
    expect(await byOwner(id, 'approve', { json })).toMatchObject({
      status: 409,
      body: { code: 'proposal_mismatch' },
    })
    expect((await byOwner(id, 'reject')).body.action_status).toBe('denied')
  })

  it('knows nothing of an action of another application', async () => {
    const other = await signUp(service.call)
    const id = await held()
    for (const verb of ['approve', 'reject']) {
      const path = other.path(`/actions/${id}/${verb}`)
      const { status, body } = await other.browser.call<Problem>('POST', path, { json: {} })
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'action_not_found' })
    }
    expect(await statusOf(id)).toBe('pending_approval')
  })
})

describe('of two who decide at once', () => {
  it('one wins, and the other is told who decided and how', async () => {
    for (let times = 0; times < 10; times += 1) {
      const id = await held()
      const [mine, theirs] = await Promise.all([byOwner(id, 'reject'), byKey(id, 'approve')])
      const lost = mine.status === 409 ? mine : theirs
      const won = mine.status === 409 ? theirs : mine
      expect([200, 202]).toContain(won.status)
      expect(lost).toMatchObject({ status: 409, body: { code: 'action_not_approvable' } })
      const winner = won === mine ? `rejected by ${owner.email}` : 'approved by lead'
      expect(lost.body.detail).toMatch(new RegExp(`^the action is \\w+: ${winner} at 20[\\dT:.-]+Z$`))
    }
  })

  it('the loser is told nothing of what was erased', async () => {
    const id = await held()
    await byOwner(id, 'reject')
    const erased = await service.call('POST', `/v1/tenants/${owner.tenant_id}/actions/${id}/erase`, {
      admin: service.admin,
      json: { reason: 'of a test' },
    })
    expect(erased.status).toBe(200)
    const { detail } = (await byKey(id, 'approve')).body
    expect(detail).toMatch(/^the action is denied: rejected at /)
  })
})

describe('a session that ends while a decision is under way', () => {
  const waiting = () => waitingStatements(service.database)

  async function freshBrowser() {
    const browser = newBrowser(service.call)
    await logIn(browser, owner)
    return browser
  }

  it('decides nothing where it ended first, and the decision can be repeated later', async () => {
    const browser = await freshBrowser()
    const id = await held()
    let answer: ReturnType<typeof byOwner> | undefined
    await sql.begin(async ending => {
      await ending`delete from action_gate.sessions where account_id = ${owner.account_id}`
      answer = byOwner(id, 'approve', { browser })
      await expect.poll(waiting, { timeout: 2_000 }).toBe(1)
    })
    expect(await answer).toMatchObject({ status: 401, body: { code: 'session_required' } })
    expect(await statusOf(id)).toBe('pending_approval')
    await logIn(owner.browser, owner)
    await logIn(browser, owner)
    expect((await byOwner(id, 'approve', { browser })).body.action_status).toBe('executed')
  })

  it('ends only after the decision where that began first', async () => {
    const browser = await freshBrowser()
    const id = await held()
    let both: Promise<unknown[]> | undefined
    await sql.begin(async holder => {
      await holder`select from action_gate.actions where action_id = ${id} for update`
      const approving = byOwner(id, 'approve', { browser })
      await expect.poll(waiting, { timeout: 2_000 }).toBe(1)
      const { csrf, cookies } = browser
      const cookie = `service_session=${cookies.get('service_session')}`
      const headers = { cookie, 'x-service-csrf': csrf ?? '' }
      both = Promise.all([approving, service.call('POST', '/v1/accounts/logout', { json: {}, headers })])
      await expect.poll(waiting, { timeout: 2_000 }).toBe(2)
    })
    expect(await both).toMatchObject([
      { body: { action_status: 'executed' } },
      { status: 200, body: { ended: 1 } },
    ])
    expect((await byOwner(await held(), 'approve', { browser })).status).toBe(401)
  })

  it('decides nothing for a tenant that is another’s, whatever was seen before', async () => {
    const id = await held()
    const other = await signUp(service.call)
    const { account_id } = other
    const deciding = approveAction(service.context, {
      decider: {
        owner: { account_id, name: other.email, scope: 'owner', tenant_id: owner.tenant_id },
        role: 'owner',
        session_hash: hashSecret(other.browser.cookies.get('service_session') ?? ''),
        identity: null,
      },
      action_id: id,
      request: {},
      wait_ms: 0,
      span: idTracer.begin('server', null),
    })
    await expect(deciding).rejects.toMatchObject({ code: 'session_required' })
    expect(await statusOf(id)).toBe('pending_approval')
  })
})
