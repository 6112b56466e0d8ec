import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DecisionResponse, HeldAction } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant({ policy: { ...plainPolicy, approvals_required: 2 } })
})

afterAll(() => service.close())

async function held(of = tenant): Promise<string> {
  return (await of.submit({ risk: 'high' })).body.action_id
}

interface Minted {
  api_key: string
  key: { key_id: string }
}

/** An approver key that the operator mints. */
async function mint(json: object = {}, of = tenant): Promise<Minted> {
  const named = { name: `lead ${randomBytes(6).toString('hex')}`, scope: 'approver', ...json }
  const path = `/v1/tenants/${of.id}/api-keys`
  const { status, body } = await service.call<Minted>('POST', path, { admin: service.admin, json: named })
  expect({ status, body }).toMatchObject({ status: 201 })
  return body
}

const mintSeveral = (count: number, of = tenant): Promise<Minted[]> =>
  Promise.all(Array.from({ length: count }, () => mint({}, of)))

function decide(id: string, verb: 'approve' | 'reject', { api_key: key }: Minted, json: object = {}) {
  return service.call<DecisionResponse & Problem>('POST', `/v1/actions/${id}/${verb}`, { key, json })
}

const said = ({ status, body }: { status: number; body: DecisionResponse & Problem }): string =>
  `${status} ${body.code ?? body.action_status}`

const kindsOf = async (id: string): Promise<string[]> =>
  (await tenant.trace(id)).events.map(({ kind }) => kind).slice(2)

describe('a quorum of two', () => {
  it('is reported to the agent, and with its approvers to whoever approves or looks', async () => {
    const [first, second] = await mintSeveral(2)
    if (!first || !second) throw new Error('no keys')
    const submitted = await tenant.submit({ risk: 'high' })
    expect(submitted.body).toMatchObject({ action_status: 'pending_approval', approvals_required: 2 })
    const id = submitted.body.action_id
    const by = {
      principal: { id: first.key.key_id, kind: 'approver' },
      note: 'looks right',
      holder: expect.stringMatching(/^name:lead /),
    }
    const one = await decide(id, 'approve', first, { note: 'looks right' })
    expect(one).toMatchObject({
      status: 202,
      headers: { location: `/v1/actions/${id}` },
      body: { action_status: 'pending_approval', approvals: { required: 2, given: 1, by: [by] } },
    })
    const { body: inbox } = await service.call<{ approvals: HeldAction[] }>('GET', '/v1/approvals', {
      key: tenant.approver,
    })
    expect(inbox.approvals.find(({ action_id }) => action_id === id)).toMatchObject({
      expires_at: expect.any(String),
      approvals: { required: 2, given: 1, by: [by] },
    })
    expect(await tenant.trace(id)).toMatchObject({ approval: null, approvals: { required: 2, given: 1 } })

    const two = await decide(id, 'approve', second)
    expect(two).toMatchObject({
      status: 200,
      body: { action_status: 'executed', approvals: { required: 2, given: 2 } },
    })
    const trace = await tenant.trace(id)
    expect(trace.approval).toMatchObject({ decision: 'approved', principal: { id: second.key.key_id } })
    expect(trace.events.slice(2, 4)).toMatchObject([
      { kind: 'partial_approval', body: { approvals: { given: 1, required: 2 } } },
      { kind: 'approval', body: { approvals: { given: 2, required: 2 } } },
    ])
  })

  it('counts a key once, however often it approves, and answers it alike', async () => {
    const [lead] = await mintSeveral(1)
    if (!lead) throw new Error('no key')
    const id = await held()
    const answers = [await decide(id, 'approve', lead), await decide(id, 'approve', lead)]
    expect(answers.map(said)).toEqual(['202 pending_approval', '202 pending_approval'])
    expect(answers[1]?.body).toEqual(answers[0]?.body)
    expect(await kindsOf(id)).toEqual(['partial_approval'])
  })

  it('counts a person once: over spellings of a name and keys minted as theirs', async () => {
    const name = `Ada ${randomBytes(4).toString('hex')}`
    const first = await mint({ name })
    const sameName = await mint({ name: ` ${name.toUpperCase()}  ` })
    const rotated = await mint({ same_holder_as: first.key.key_id })
    const later = await mint({ same_holder_as: rotated.key.key_id })
    const id = await held()
    expect(said(await decide(id, 'approve', first))).toBe('202 pending_approval')
    for (const again of [sameName, rotated, later]) {
      const answer = await decide(id, 'approve', again)
      expect(said(answer)).toBe('409 approval_already_counted')
      expect(answer.body.detail).toContain(name)
    }
    expect(await kindsOf(id)).toEqual(['partial_approval'])
    expect(said(await decide(id, 'approve', await mint()))).toBe('200 executed')
  })

  it('does not count who proposed, where the operator says that they hold both keys', async () => {
    const own = await mint({ same_holder_as: tenant.agent.split('.')[0] })
    const id = await held()
    expect(said(await decide(id, 'approve', own))).toBe('409 own_proposal')
    expect(await kindsOf(id)).toEqual([])
    expect(said(await decide(id, 'reject', own))).toBe('200 denied')
  })

  it('refuses to mint a key for the holder of one that there is not', async () => {
    const json = { name: 'x', scope: 'approver', same_holder_as: 'apk_nobody' }
    const { status, body } = await service.call<Problem>('POST', `/v1/tenants/${tenant.id}/api-keys`, {
      admin: service.admin,
      json,
    })
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ path: 'same_holder_as', code: 'unknown_key' }],
    })
  })

  it('ends with one rejection, after an approval too, and by who approved too', async () => {
    const [first, second] = await mintSeveral(2)
    if (!first || !second) throw new Error('no keys')
    for (const rejecting of [first, second]) {
      const id = await held()
      await decide(id, 'approve', first)
      expect(said(await decide(id, 'reject', rejecting))).toBe('200 denied')
      expect(await kindsOf(id)).toEqual(['partial_approval', 'rejection'])
      expect(said(await decide(id, 'approve', second))).toBe('409 action_not_approvable')
    }
  })

  it('is not approved with a revoked key, and what a key approved before counts', async () => {
    const [first, second] = await mintSeveral(2)
    if (!first || !second) throw new Error('no keys')
    const id = await held()
    await decide(id, 'approve', first)
    const path = `/v1/tenants/${tenant.id}/api-keys/${first.key.key_id}/revoke`
    await service.call('POST', path, { admin: service.admin })
    expect(said(await decide(id, 'approve', first))).toBe('403 key_revoked')
    expect(said(await decide(id, 'approve', second))).toBe('200 executed')
  })

  it('runs out with the hold: an approval does not put that off', async () => {
    const [first, second] = await mintSeveral(2)
    if (!first || !second) throw new Error('no keys')
    const id = await held()
    const until = `select held_until from action_gate.actions where action_id = '${id}'`
    const before = await asSuperuser(service.database, until)
    await decide(id, 'approve', first)
    expect(await asSuperuser(service.database, until)).toEqual(before)
    await asSuperuser(
      service.database,
      `update action_gate.actions set held_until = clock_timestamp() - interval '1 ms' where action_id = '${id}'`,
    )
    expect(said(await decide(id, 'approve', second))).toBe('409 action_not_approvable')
    expect((await tenant.settled(id)).status).toBe('denied')
    expect(await kindsOf(id)).toEqual(['partial_approval', 'expiry'])
  })
})

describe('the requirement is frozen', () => {
  it('a policy that asks for fewer frees nothing, and one with more stops nothing', async () => {
    const own = await service.tenant({ policy: { ...plainPolicy, approvals_required: 2 } })
    const put = (policy: object) =>
      service.call('PUT', `/v1/tenants/${own.id}/policy`, { admin: service.admin, json: policy })
    const [first, second] = await mintSeveral(2, own)
    if (!first || !second) throw new Error('no keys')
    const two = await held(own)
    await decide(two, 'approve', first)
    expect((await put(plainPolicy)).status).toBe(200)
    const one = await held(own)
    expect(said(await decide(one, 'approve', first))).toBe('200 executed')
    expect((await own.trace(one)).verdict).not.toHaveProperty('approvals_required')
    expect((await put({ ...plainPolicy, approvals_required: 10 })).status).toBe(200)
    expect((await own.trace(two)).status).toBe('pending_approval')
    expect(said(await decide(two, 'approve', second))).toBe('200 executed')
  })
})

describe('many at once', () => {
  it('fifty approvals by ten keys give each of ten actions its approvals and one job', async () => {
    const ten = await service.tenant({ policy: { ...plainPolicy, approvals_required: 10 } })
    const keys = await mintSeveral(10, ten)
    for (const round of [1, 2]) {
      const id = await held(ten)
      const asked = [...keys, ...keys, ...keys, ...keys, ...keys].map(key => decide(id, 'approve', key))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      expect([...new Set(statuses)].sort(), `round ${round}`).toEqual(expect.arrayContaining([200]))
      const { events, approvals } = await ten.settled(id)
      const counted = events.filter(({ kind }) => /approval$/.test(kind))
      expect(counted.map(({ kind }) => kind)).toEqual([...Array(9).fill('partial_approval'), 'approval'])
      expect(new Set(counted.map(({ principal }) => principal.id)).size).toBe(10)
      expect(counted.map(({ body }) => body?.approvals)).toEqual(
        counted.map((_, at) => ({ given: at + 1, required: 10 })),
      )
      expect(approvals).toMatchObject({ required: 10, given: 10 })
      expect(events.filter(({ kind }) => kind === 'execution_attempt')).toHaveLength(1)
    }
  })

  it('approvals and a rejection at once have one outcome, and it is what was answered', async () => {
    const [first, second, third] = await mintSeveral(3)
    if (!first || !second || !third) throw new Error('no keys')
    for (let round = 0; round < 12; round += 1) {
      const id = await held()
      const answers = await Promise.all([
        decide(id, 'approve', first),
        decide(id, 'approve', second),
        decide(id, 'reject', third),
      ])
      const { status, events } = await tenant.settled(id)
      const ended = events.filter(({ kind }) => ['approval', 'rejection'].includes(kind))
      expect(ended).toHaveLength(1)
      expect(status).toBe(ended[0]?.kind === 'approval' ? 'executed' : 'denied')
      expect(answers[2]?.status).toBe(status === 'denied' ? 200 : 409)
      const both = answers.slice(0, 2).filter(answer => answer.status < 300)
      if (status === 'executed') expect(both).toHaveLength(2)
      else expect(events.filter(({ kind }) => kind === 'partial_approval')).toHaveLength(both.length)
    }
  })

  it('one person with two keys at once counts once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const first = await mint()
      const other = await mint({ same_holder_as: first.key.key_id })
      const id = await held()
      const answers = await Promise.all([first, other].map(key => decide(id, 'approve', key)))
      expect(answers.map(said).sort()).toEqual(['202 pending_approval', '409 approval_already_counted'])
      expect(await kindsOf(id)).toEqual(['partial_approval'])
    }
  })
})
