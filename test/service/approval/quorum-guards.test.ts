import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DecisionResponse, Trace } from '../../../shared/contract/action/action.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { changeActions } from '../../../shared/flow/core/change-action.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { approve } from '../../../shared/lifecycle/decide.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' } })
})
afterAll(() => service.close())

const policy = { ...plainPolicy, approvals_required: 2 }

describe('the database', () => {
  const trigger = (state: string) =>
    asSuperuser(
      service.database,
      `alter table action_gate.action_events ${state} trigger action_events_quorum`,
    )

  /** What a process would write that knows nothing of quorums. */
  async function approvedByOne(): Promise<string> {
    const tenant = await service.tenant({ policy, issued: true })
    const { action_id } = (await tenant.submit({ risk: 'high' })).body
    const one = approve({
      approver: { id: 'apk_one', kind: 'approver' },
      payload: { note: null, name: 'one' },
      attempts_max: 5,
      proposal_hash: null,
      request_hash: null,
    })
    const blind = {
      action_id,
      tenant_id: tenant.id,
      decide: (action: Parameters<typeof one>[0]) => one({ ...action, quorum: null }),
    }
    const [amended] = await changeActions(service.context, [blind])
    expect(amended?.ok).toBe(true)
    return action_id
  }

  it('refuses one approval of what was held for two, whoever writes it', async () => {
    await expect(approvedByOne()).rejects.toThrow(
      /held for 2 approvals, of which it has 0, takes no approval by/,
    )
  })

  it('is found out by the check of the database where it was made to take it', async () => {
    const sound = await check()
    expect(sound.differences).toEqual({ found: 0, listed: [] })
    await trigger('disable')
    const id = await approvedByOne()
    await trigger('enable always')
    const { differences } = await check()
    expect(differences.listed).toEqual([
      { where: `action/${id}`, problem: expect.stringMatching(/approval by apk_one, the first of 2/) },
      { where: `action/${id}`, problem: expect.stringMatching(/apk_one, a key that nobody had minted/) },
    ])
  })

  async function check() {
    const waiting =
      'select (select count(*) from log_outbox) + (select count(*) from unsigned_statements) as waiting'
    await vi.waitFor(
      async () => expect(await asReader(service.context.store, waiting)).toEqual([{ waiting: '0' }]),
      { timeout: 10_000 },
    )
    const how = { trusted: [testVerifierKey()], kept: [], resume: null, onPage: () => undefined }
    return checkDatabase({ url: databaseUrl(service.database), ...how })
  }
})

describe('an owner', () => {
  it('counts once with every key of theirs, and an operator’s key is somebody else’s', async () => {
    const owner = await signUp(service.call)
    await put(owner, { ...policy, allowed_systems: ['helpdesk'] })
    const own = await mintOwn(owner, { name: 'a colleague, they say' })
    const id = await held(owner)
    const answer = await byOwner(owner, id)
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: owner.path(`/actions/${id}`) },
      body: {
        action_status: 'pending_approval',
        approvals: { given: 1, by: [{ holder: `account:${owner.account_id}`, name: owner.email }] },
      },
    })
    expect((await byOwner(owner, id)).body).toEqual(answer.body)
    expect(await byKey(id, own)).toMatchObject({ status: 409, body: { code: 'approval_already_counted' } })

    const other = await held(owner)
    expect((await byKey(other, own)).status).toBe(202)
    expect(await byOwner(owner, other)).toMatchObject({ body: { code: 'approval_already_counted' } })

    const { body } = await service.call<{ api_key: string }>(
      'POST',
      `/v1/tenants/${owner.tenant_id}/api-keys`,
      { admin: service.admin, json: { name: 'second person', scope: 'approver' } },
    )
    expect(await byKey(id, body.api_key)).toMatchObject({ body: { action_status: 'executed' } })
    const { body: trace } = await owner.browser.call<Trace>('GET', owner.path(`/actions/${id}`))
    expect(trace.approvals).toMatchObject({ required: 2, given: 2 })
  })

  it('cannot mint a key as somebody else’s', async () => {
    const owner = await signUp(service.call)
    const { body } = await service.call<{ key: { key_id: string } }>(
      'POST',
      `/v1/tenants/${owner.tenant_id}/api-keys`,
      { admin: service.admin, json: { name: 'second person', scope: 'approver' } },
    )
    const json = { name: 'x', scope: 'approver', same_holder_as: body.key.key_id }
    const refused = await owner.browser.call<Problem>('POST', owner.path('/api-keys'), { json })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ code: 'other_holder' }] } })
  })

  async function put({ browser, path }: TestOwner, json: object): Promise<void> {
    expect((await browser.call('PUT', path('/policy'), { json })).status).toBe(200)
  }

  async function mintOwn({ browser, path }: TestOwner, json: object): Promise<string> {
    const minted = { scope: 'approver', ...json }
    return (await browser.call<{ api_key: string }>('POST', path('/api-keys'), { json: minted })).body.api_key
  }

  async function held({ agent }: TestOwner): Promise<string> {
    const json = proposal({ system: 'helpdesk', risk: 'high' })
    return (await service.call<Verdict>('POST', '/v1/actions', { key: agent, json })).body.action_id
  }

  type Decided = DecisionResponse & Problem
  const byOwner = ({ browser, path }: TestOwner, id: string) =>
    browser.call<Decided>('POST', path(`/actions/${id}/approve`), { json: {} })
  const byKey = (id: string, key: string) =>
    service.call<Decided>('POST', `/v1/actions/${id}/approve`, { key, json: {} })
})
