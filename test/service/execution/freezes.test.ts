import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { FreezeState } from '../../../shared/contract/configuration/freeze-schema.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { plantFreezes } from '../../support/service/plant-freezes.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import {
  crm,
  type ProposalChange,
  plainPolicy,
  proposal,
  type TestTenant,
} from '../../support/service/tenant.ts'

/** Issue: a frozen thing is denied, not approved, not executed, on every process, and all of it is audited. */
describe.each([{ platform: false }, { platform: true }])('platform mode: $platform', ({ platform }) => {
  let service: TestService
  let second: TestService

  beforeAll(async () => {
    service = await startService({ platform })
    second = await startService({ platform, database: service.database, worker: null })
  })

  afterAll(async () => {
    await second.close()
    await service.close()
  })

  const make = () =>
    service.tenant({
      policy: { ...plainPolicy, allowed_systems: ['crm', 'mail'] },
      actuators: [crm, { name: 'mail', kind: 'mock', settings: {} }],
    })

  function say(tenant: TestTenant, verb: string, json: object = {}) {
    return service.call<FreezeState & Problem>('POST', `/v1/tenants/${tenant.id}/${verb}`, {
      admin: service.admin,
      json: { reason: 'of a test', ...json },
    })
  }

  async function decided(tenant: TestTenant, change: ProposalChange): Promise<string> {
    const { body } = await tenant.submit(change, { prefer: 'wait=0' })
    const why = body.checks.filter(({ outcome }) => outcome === 'fail').map(({ code }) => code)
    return [body.decision, ...why].join(' ')
  }

  describe('a freeze', () => {
    it.each([
      ['of everything', {}, ['deny frozen', 'deny frozen', 'deny frozen']],
      ['of a system', { system: 'crm' }, ['deny frozen', 'allow', 'deny frozen']],
      ['of an operation', { operation: 'write' }, ['allow', 'allow', 'deny frozen']],
      ['of an operation of a system', { system: 'mail', operation: 'write' }, ['allow', 'allow', 'allow']],
    ])('%s denies what it matches alone, until it is lifted', async (_, selector, expected) => {
      const tenant = await make()
      const tries = [{}, { system: 'mail' }, { operation: 'write' }]
      const { status, body } = await say(tenant, 'freeze', selector)
      expect({ status, freezes: body.freezes }).toMatchObject({
        status: 200,
        freezes: [{ effect: 'freeze', reason: 'of a test', ...selector, author: { scope: 'admin' } }],
      })
      expect(await Promise.all(tries.map(change => decided(tenant, change)))).toEqual(expected)
      expect((await say(tenant, 'freeze', selector)).body.freezes).toHaveLength(1)
      expect((await say(tenant, 'unfreeze', { ...selector, key_id: 'agk_other' })).body.code).toBe(
        'freeze_not_found',
      )
      expect((await say(tenant, 'unfreeze', selector)).body.freezes).toEqual([])
      expect(await Promise.all(tries.map(change => decided(tenant, change)))).toEqual([
        'allow',
        'allow',
        'allow',
      ])
    })

    it('of a key denies what that key proposes', async () => {
      const tenant = await make()
      await say(tenant, 'freeze', { key_id: tenant.agent.split('.')[0] })
      expect(await decided(tenant, {})).toBe('deny frozen')
      await say(tenant, 'unfreeze', { key_id: tenant.agent.split('.')[0] })
      await say(tenant, 'freeze', { key_id: 'agk_other' })
      expect(await decided(tenant, {})).toBe('allow')
    })

    it('refuses approvals with 409 frozen, on every process; a rejection still works', async () => {
      const tenant = await make()
      const held = (await tenant.submit({ risk: 'high' })).body.action_id
      const other = (await tenant.submit({ risk: 'high' })).body.action_id
      await say(tenant, 'freeze', { system: 'crm' })
      for (const { call } of [service, second]) {
        const answer = await call<Problem>('POST', `/v1/actions/${held}/approve`, {
          key: tenant.approver,
          json: {},
        })
        expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 409, code: 'frozen' })
      }
      expect((await tenant.reject(other)).status).toBe(200)
      await say(tenant, 'unfreeze', { system: 'crm' })
      expect((await tenant.approve(held)).status).toBe(200)
    })

    it('has room for a hundred of a tenant, and always for that of everything', async () => {
      const tenant = await make()
      await plantFreezes(service.context, tenant.id)
      for (const verb of ['freeze', 'pause']) {
        const { status, body } = await say(tenant, verb, { system: 'crm' })
        expect([status, body.code]).toEqual([409, 'too_many_freezes'])
        expect((await say(tenant, verb)).status).toBe(200)
      }
      expect((await say(tenant, 'freeze', { system: 'unused-7' })).body.freezes).toHaveLength(102)
      await say(tenant, 'unfreeze')
      expect((await say(tenant, 'unfreeze', { system: 'unused-7' })).status).toBe(200)
      await say(tenant, 'resume')
      expect((await say(tenant, 'freeze', { system: 'crm' })).status).toBe(200)
    })

    it('has no window: no proposal on two processes is allowed after it', async () => {
      const tenant = await make()
      let frozen = false
      const answers: { began: boolean; decision: string }[] = []
      const submitter = async (at: number): Promise<void> => {
        for (let nth = 0; nth < 12; nth += 1) {
          const began = frozen
          const { call } = (at + nth) % 2 === 0 ? service : second
          const { body } = await call<{ decision: string }>('POST', '/v1/actions', {
            key: tenant.agent,
            json: {
              proposal_id: `race-${at}-${nth}`,
              actor: { agent_id: 'a' },
              summary: 'race',
              action: { target_system: 'crm', operation: 'read', parameters: {} },
              risk: { level: 'low' },
            },
            headers: { prefer: 'wait=0' },
          })
          answers.push({ began, decision: body.decision })
        }
      }
      const load = Promise.all(Array.from({ length: 16 }, (_, at) => submitter(at)))
      await expect.poll(() => answers.length).toBeGreaterThan(20)
      await say(tenant, 'freeze')
      frozen = true
      await load
      expect(new Set(answers.filter(({ began }) => began).map(({ decision }) => decision))).toEqual(
        new Set(['deny']),
      )
    })
  })

  describe.each([
    ['freeze of a system', 'freeze', 'unfreeze', { system: 'crm' }],
    ['freeze of an operation', 'freeze', 'unfreeze', { operation: 'write' }],
    ['freeze of an operation of a system', 'freeze', 'unfreeze', { system: 'crm', operation: 'write' }],
    ['pause of a system', 'pause', 'resume', { system: 'crm' }],
  ])('while there is a %s', (_, impose, lift, selector) => {
    it('queued jobs are not claimed; what it does not match is; then they run at once', async () => {
      const tenant = await make()
      const change = { risk: 'high', system: 'crm', operation: 'write' } as const
      const held = (await tenant.submit(change)).body.action_id
      await say(tenant, 'pause')
      await tenant.approve(held, {}, { prefer: 'wait=0' })
      await say(tenant, impose, selector)
      await say(tenant, 'resume')
      const other = (await tenant.submit({ system: 'mail' }, { prefer: 'wait=0' })).body.action_id
      expect((await tenant.settled(other)).status).toBe('executed')
      const later = (await tenant.submit({ system: 'mail' }, { prefer: 'wait=0' })).body.action_id
      expect((await tenant.settled(later)).status).toBe('executed')
      expect((await tenant.trace(held)).status).toBe('execution_pending')
      await say(tenant, lift, selector)
      expect((await tenant.settled(held)).status).toBe('executed')
    })
  })

  it('a job behind more frozen ones than a claim reads runs, and they run later', async () => {
    const tenant = await make()
    const [count, atOnce] = [1_100, 50]
    await say(tenant, 'pause')
    const decisions = new Set<string>()
    for (let sent = 0; sent < count; sent += atOnce) {
      const submit = () => tenant.submit({ operation: 'write' }, { prefer: 'wait=0' })
      const answers = await Promise.all(Array.from({ length: atOnce }, submit))
      for (const { body } of answers) decisions.add(body.decision)
    }
    expect([...decisions]).toEqual(['allow'])
    await say(tenant, 'freeze', { operation: 'write' })
    const behind = (await tenant.submit({}, { prefer: 'wait=0' })).body.action_id
    await say(tenant, 'resume')
    expect((await tenant.settled(behind)).status).toBe('executed')
    const executed = async () => {
      const text = `select count(*)::int4 as count from actions where tenant_id = '${tenant.id}' and status = 'executed'`
      return (await asReader<{ count: number }>(service.context.store, text))[0]?.count
    }
    expect(await executed()).toBe(1)
    await say(tenant, 'unfreeze', { operation: 'write' })
    await expect.poll(executed, { timeout: 20_000 }).toBe(count + 1)
  })

  it('queued jobs of a frozen key are not claimed; those of another key are', async () => {
    const tenant = await make()
    const key_id = tenant.agent.split('.')[0]
    const kept = (await tenant.submit({ risk: 'high' })).body.action_id
    const another = { name: 'another', scope: 'agent', tenant_id: tenant.id, expires_at: null } as const
    const { api_key: key } = await plantKey(service.context, another)
    await say(tenant, 'pause')
    await tenant.approve(kept, {}, { prefer: 'wait=0' })
    await say(tenant, 'freeze', { key_id })
    await say(tenant, 'resume')
    const { body } = await service.call<Verdict>('POST', '/v1/actions', { key, json: proposal() })
    expect((await tenant.settled(body.action_id)).status).toBe('executed')
    expect((await tenant.trace(kept)).status).toBe('execution_pending')
    await say(tenant, 'unfreeze', { key_id })
    expect((await tenant.settled(kept)).status).toBe('executed')
  })

  it('a pause stops jobs alone: proposals are decided and approvals made meanwhile', async () => {
    const tenant = await make()
    const { body } = await say(tenant, 'pause')
    expect(body.freezes).toMatchObject([{ effect: 'pause', system: null }])
    expect(await decided(tenant, {})).toBe('allow')
    const held = (await tenant.submit({ risk: 'high' })).body.action_id
    expect((await tenant.approve(held, {}, { prefer: 'wait=0' })).status).toBe(202)
    expect((await say(tenant, 'unfreeze')).body.code).toBe('freeze_not_found')
    expect((await say(tenant, 'resume')).body.freezes).toEqual([])
    expect((await tenant.settled(held)).status).toBe('executed')
  })

  it('everything of it is in the configuration stream, with reason and author', async () => {
    const tenant = await make()
    await say(tenant, 'freeze', { system: 'crm', reason: 'double bookings' })
    await say(tenant, 'unfreeze', { system: 'crm', reason: 'put right' })
    await say(tenant, 'pause', { reason: 'noon' })
    const events = await asReader<{ kind: string; event: string; payload: string }>(
      service.context.store,
      `select e.kind, convert_from(e.event, 'UTF8') as event, convert_from(p.payload, 'UTF8') as payload
       from config_events e join config_payloads p using (tenant_id, sequence)
       where e.tenant_id = '${tenant.id}' and e.kind like '%freeze' order by e.sequence desc limit 3`,
    )
    expect(
      events.map(({ kind, payload }) => [kind, JSON.parse(payload).effect, JSON.parse(payload).reason]),
    ).toEqual([
      ['freeze', 'pause', 'noon'],
      ['unfreeze', 'freeze', 'put right'],
      ['freeze', 'freeze', 'double bookings'],
    ])
    const [admin] = service.admin.split('.')
    expect(JSON.parse(events[0]?.event ?? '{}').principal).toEqual({ id: admin, kind: 'admin' })
  })
})
