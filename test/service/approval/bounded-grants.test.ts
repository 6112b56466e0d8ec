import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type {
  BoundedGrant,
  GrantList,
  MadeGrant,
} from '../../../shared/contract/configuration/grant-schema.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { askForGrant } from '../../support/service/ask-for-grant.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.close())

const policy = { ...plainPolicy, approvals_required: 2 }

function admin<Body>(method: 'GET' | 'POST' | 'PUT', { id }: TestTenant, path: string, json?: object) {
  return service.call<Body>(method, `/v1/tenants/${id}/${path}`, {
    admin: service.admin,
    ...(json ? { json } : {}),
  })
}

function ask(tenant: TestTenant, change: object = {}) {
  const bounds = { operation: 'refund', constraints: { amount: { max: 50 } }, uses_max: 20 }
  return askForGrant(service, tenant, { ...bounds, note: 'small refunds of today', ...change })
}

async function make(tenant: TestTenant, change: object = {}): Promise<MadeGrant> {
  const { status, body } = await ask(tenant, change)
  expect({ status, body }).toMatchObject({ status: 201 })
  return body
}

const refund = (tenant: TestTenant, amount: number, more: object = {}) =>
  tenant.submit({ operation: 'refund', risk: 'high', parameters: { amount }, ...more }, { prefer: 'wait=0' })

async function listed(tenant: TestTenant): Promise<BoundedGrant | undefined> {
  return (await admin<GrantList>('GET', tenant, 'grants')).body.grants[0]
}

describe('a grant', () => {
  it('allows what would be held, within its bounds, and is recorded at every use', async () => {
    const tenant = await service.tenant({ policy })
    const grant = await make(tenant)
    expect(grant).toMatchObject({
      status: 'active',
      uses: 0,
      constraints: { amount: { max: 50, required: true } },
    })
    expect(grant.example).toMatchObject({ action: { operation: 'refund' } })
    const { body: first } = await refund(tenant, 50)
    expect(first).toMatchObject({
      decision: 'allow',
      grant: { clause: { grant_id: grant.grant_id }, clause_hash: grant.clause_hash, use: 1 },
    })
    expect((await refund(tenant, 1)).body.grant).toMatchObject({ use: 2 })
    for (const held of [
      await refund(tenant, 50.01),
      await refund(tenant, 5, { operation: 'read' }),
      await refund(tenant, 5, { parameters: {} }),
    ])
      expect(held.body).toMatchObject({ decision: 'needs_approval', approvals_required: 2 })
    expect(await listed(tenant)).toMatchObject({ grant_id: grant.grant_id, uses: 2, status: 'active' })
    const { events } = await tenant.settled(first.action_id)
    expect(events[1]).toMatchObject({ kind: 'verdict', body: { grant: { use: 1 } } })
  })

  it('allows fifty proposals at once as often as it says, each with a use of its own', async () => {
    const tenant = await service.tenant({ policy })
    await make(tenant)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => refund(tenant, at)))
    const uses = answers.flatMap(({ body }) => body.grant?.use ?? [])
    expect(uses.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
    expect(answers.filter(({ body }) => body.decision === 'needs_approval')).toHaveLength(30)
    expect(await listed(tenant)).toMatchObject({ uses: 20, status: 'used_up' })
  })

  it('counts a proposal once, however often it is sent', async () => {
    const tenant = await service.tenant({ policy })
    await make(tenant)
    const again = { proposal_id: 'refund-again' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => refund(tenant, 5, again)))
    expect(new Set(answers.map(({ body }) => body.action_id)).size).toBe(1)
    expect(answers.map(({ body }) => body.grant?.use)).toEqual(answers.map(() => 1))
    expect(await listed(tenant)).toMatchObject({ uses: 1 })
  })

  it('allows nothing once it is revoked, and twice is once', async () => {
    const tenant = await service.tenant({ policy })
    const { grant_id } = await make(tenant)
    const revoke = () => admin<BoundedGrant>('POST', tenant, `grants/${grant_id}/revoke`, { reason: 'done' })
    const [one, other] = [await revoke(), await revoke()]
    expect(one.body).toMatchObject({ status: 'revoked', revoked_at: expect.any(String) })
    expect(other.body).toEqual(one.body)
    expect((await refund(tenant, 5)).body.decision).toBe('needs_approval')
  })

  it('ends when it says, and is of its own key alone', async () => {
    const tenant = await service.tenant({ policy })
    await make(tenant, { key_id: (await service.tenant({ policy })).agent.split('.')[0] }).then(
      () => expect.fail('a key of another tenant has a grant'),
      () => undefined,
    )
    const ends_at = new Date(Date.now() + 1_500).toISOString()
    await make(tenant, { ends_at })
    expect((await refund(tenant, 5)).body.decision).toBe('allow')
    await expect.poll(async () => (await listed(tenant))?.status, { timeout: 10_000 }).toBe('ended')
    expect((await refund(tenant, 5)).body.decision).toBe('needs_approval')
  })

  it('rests while the policy is another one, and goes on when it is the same again', async () => {
    const tenant = await service.tenant({ policy })
    await make(tenant)
    await admin('PUT', tenant, 'policy', { ...policy, approvals_required: 3 })
    expect(await listed(tenant)).toMatchObject({ status: 'resting' })
    expect((await refund(tenant, 5)).body.decision).toBe('needs_approval')
    await admin('PUT', tenant, 'policy', policy)
    expect((await refund(tenant, 5)).body.decision).toBe('allow')
  })

  it('rests while its operation is registered elsewhere, and goes on when it is back', async () => {
    const tenant = await service.tenant({ policy })
    const operation = (path: string) => ({ method: 'POST', path })
    const register = (base_url: string, operations: object) =>
      admin('PUT', tenant, 'actuators', {
        actuators: [{ name: 'crm', kind: 'http', settings: { base_url, operations } }],
      })
    const [here, refunds] = ['https://a.example', { refund: operation('/refunds') }]
    await register(here, refunds)
    await make(tenant)
    expect((await refund(tenant, 5)).body.decision).toBe('allow')
    const others: [string, object][] = [
      ['https://b.example', refunds],
      [here, { refund: operation('/payouts') }],
    ]
    for (const [base_url, operations] of others) {
      await register(base_url, operations)
      expect(await listed(tenant)).toMatchObject({ status: 'resting' })
      expect((await refund(tenant, 5)).body.decision).toBe('needs_approval')
    }
    await register(here, { ...refunds, payout: operation('/payouts') })
    expect(await listed(tenant)).toMatchObject({ status: 'active' })
    expect((await refund(tenant, 5)).body.decision).toBe('allow')
  })

  it('gives way to a freeze', async () => {
    const tenant = await service.tenant({ policy })
    await make(tenant)
    await admin('POST', tenant, 'freeze', { reason: 'of a test', operation: 'refund' })
    expect((await refund(tenant, 5)).body).toMatchObject({ decision: 'deny' })
    expect(await listed(tenant)).toMatchObject({ uses: 0 })
  })
})

describe('a grant is refused', () => {
  it('with the proposal that it would allow and does not bound', async () => {
    const tenant = await service.tenant({ policy })
    const { status, body } = await ask(tenant, { constraints: { amount: { max: 50, required: false } } })
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'grant_not_proved' })
    expect(body.errors).toMatchObject([
      {
        path: 'constraints.amount',
        code: 'wider_than_it_says',
        message: expect.stringContaining('"parameters":{}'),
      },
    ])
    expect(await listed(tenant)).toBeUndefined()
  })

  it('where it would break what is to be kept', async () => {
    const tenant = await service.tenant({ policy })
    const forbidden = [
      { name: 'a held refund', operation: 'refund', effective_risk: { min: 'medium', max: 'high' } },
    ]
    await admin('POST', tenant, 'policy/verify', { forbidden })
    const change = { uses_max: 1 }
    expect((await ask(tenant, change)).status).toBe(201)
    await admin('PUT', tenant, 'verification-gate', { required: true })
    expect((await ask(tenant, change)).body).toMatchObject({
      code: 'grant_not_proved',
      errors: [{ path: 'a held refund', code: 'breaks_report' }],
    })
  })

  it.each([
    ['contradicts itself', { constraints: { amount: { min: 5, max: 1 } } }, 'constraints.amount.min'],
    ['has ended', { ends_at: '2026-01-01T00:00:00.000Z' }, 'ends_at'],
    ['lasts too long', { ends_at: '2099-01-01T00:00:00.000Z' }, 'ends_at'],
    ['is of a key that there is not', { key_id: 'agk_none' }, 'key_id'],
  ])('where it %s', async (_, change, path) => {
    const tenant = await service.tenant({ policy })
    const { status, body } = await ask(tenant, change)
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path }] })
  })
})

describe('the record of a grant', () => {
  it('is an event when it is made and when it is revoked', async () => {
    const tenant = await service.tenant({ policy })
    const { grant_id, clause_hash } = await make(tenant)
    await admin('POST', tenant, `grants/${grant_id}/revoke`, { reason: 'done' })
    const rows = await asSuperuser<{ kind: string; payload: string }>(
      service.database,
      `select kind, convert_from(payload, 'UTF8') as payload
       from action_gate.config_events join action_gate.config_payloads using (tenant_id, sequence)
       where tenant_id = '${tenant.id}' and kind like 'grant_%' order by sequence`,
    )
    expect(rows.map(({ kind, payload }) => ({ kind, payload: JSON.parse(payload) as object }))).toMatchObject(
      [
        {
          kind: 'grant_made',
          payload: { clause: { grant_id }, clause_hash, note: 'small refunds of today' },
        },
        { kind: 'grant_revoked', payload: { grant_id, reason: 'done' } },
      ],
    )
  })

  it('takes no use by hand: not of another action, and not beyond its number', async () => {
    const tenant = await service.tenant({ policy })
    const { grant_id } = await make(tenant, { uses_max: 1 })
    const { action_id: used } = (await refund(tenant, 5)).body
    const { action_id: held } = (await refund(tenant, 5)).body
    const insert = (use: number, action: string) =>
      asSuperuser(
        service.database,
        `insert into action_gate.grant_uses (tenant_id, grant_id, use, action_id)
         values ('${tenant.id}', '${grant_id}', ${use}, '${action}')`,
      )
    for (const [use, action] of [
      [2, held],
      [3, held],
      [2, used],
    ] as const)
      await expect(insert(use, action)).rejects.toThrow(/no use/)
    const change = `update action_gate.bounded_grants set uses_max = 100 where grant_id = '${grant_id}'`
    await expect(asSuperuser(service.database, change)).rejects.toThrow(/append-only/)
  })

  it('stays with the action in its audit export', async () => {
    const tenant = await service.tenant({ policy })
    const { clause_hash } = await make(tenant)
    const { action_id } = (await refund(tenant, 5)).body
    await tenant.settled(action_id)
    const { body } = await service.call<AuditExport>('GET', `/v1/actions/${action_id}/audit-export`, {
      key: tenant.agent,
    })
    expect(body.events[1]).toMatchObject({ payload: { grant: { clause_hash, use: 1 } } })
  })
})
