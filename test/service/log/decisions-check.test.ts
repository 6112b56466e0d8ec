import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { Trace } from '../../../shared/contract/action/action.ts'
import { changeActions } from '../../../shared/flow/core/change-action.ts'
import type { Counters } from '../../../shared/flow/database-check/check-counters.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { sweep } from '../../../shared/flow/execution/sweep.ts'
import { seedDemo } from '../../../shared/flow/service/seed-demo.ts'
import type { ActionState, RouteTerms } from '../../../shared/lifecycle/change.ts'
import { approve, escalate, supersede } from '../../../shared/lifecycle/decide.ts'
import type { Decide } from '../../../shared/lifecycle/move.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { freshDatabase } from '../../support/servers/database.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { signUp } from '../../support/service/owner.ts'
import { type Person, routedTenant } from '../../support/service/routed-tenant.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import { proposal } from '../../support/service/tenant.ts'

/** What the log says against a decision is found, and what the product does is found by nobody. */

const hour = 3_600_000
const tomorrow = () => new Date(Date.now() + 24 * hour).toISOString()
const allLeads = { required: [{ group: 'leads', approvals: 1 }] }

let service: TestService
beforeAll(async () => {
  service = await startService({ env: { SERVICE_SWEEP_MS: '100000000', SERVICE_HOSTED_ACCOUNTS: 'true' } })
})
afterAll(() => service.close())

/** Two leads, and somebody outside. */
async function bed(of = service) {
  const tenant = await routedTenant(of)
  const [ada, bob, eve] = [await tenant.person('ada'), await tenant.person('bob'), await tenant.person('eve')]
  await tenant.putGroup('leads', [ada, bob])
  await tenant.putRoute(allLeads)
  return { tenant, ada, bob, eve }
}

async function checked({ context, database } = service): Promise<Counters> {
  const waiting =
    'select (select count(*) from log_outbox) + (select count(*) from unsigned_statements) as waiting'
  await vi.waitFor(async () => expect(await asReader(context.store, waiting)).toEqual([{ waiting: '0' }]), {
    timeout: 10_000,
  })
  const how = { trusted: [testVerifierKey()], kept: [], resume: null, onPage: () => undefined }
  return checkDatabase({ url: databaseUrl(database), ...how, rowsAtOnce: 16 })
}

/** What the export of an action comes to, as the service gives it. */
async function verified(key: string, id: string): Promise<string> {
  const { text } = await service.call('GET', `/v1/actions/${id}/audit-export`, { key })
  const { outcome, problem } = verifyExport(Buffer.from(text), { trusted: [testVerifierKey()] })
  return problem ?? outcome
}

const isSo = async (id: string, so: string): Promise<boolean> => {
  const text = `select ${so} as so from held_actions where action_id = '${id}'`
  return (await asReader<{ so: boolean }>(service.context.store, text))[0]?.so === true
}

const edit = async ({ agent }: { agent: string }, id: string, { key }: Person) => {
  const { verdict } = (await service.call<Trace>('GET', `/v1/actions/${id}`, { key: agent })).body
  const json = { parameters: { contact: 41 }, proposal_hash: verdict.proposal_hash }
  return service.call<{ action_id: string }>('POST', `/v1/actions/${id}/edit`, { key, json })
}

describe('what the product records', () => {
  it('is never refused, whoever decides and when', async () => {
    const demo = await seedDemo(service.context)
    if (demo === null) throw new Error('the demo was not made')
    const done: [key: string, id: string][] = []
    const json = { ...demo.proposal, risk: { level: 'high' } }
    const asked = await service.call<Trace>('POST', '/v1/actions', { key: demo.agent_key, json })
    await service.call('POST', `/v1/actions/${asked.body.action_id}/approve`, {
      key: demo.approver_key,
      json: {},
    })
    done.push([demo.agent_key, asked.body.action_id])

    const { tenant, ada, bob, eve } = await bed()
    const { agent } = tenant
    const late = await tenant.hold()
    await tenant.putGroup('duty', [eve])
    await tenant.putRoute({
      ...allLeads,
      decide_within_ms: 4_000,
      escalate: { after_ms: 1_000, group: 'duty' },
    })
    const [helped, over] = [await tenant.hold(), await tenant.hold()]
    await expect.poll(() => isSo(helped, 'escalates_at <= clock_timestamp()'), { timeout: 10_000 }).toBe(true)
    await sweep(service.context)
    expect(await tenant.decide('approve', helped, eve)).toMatchObject({ status: 200 })
    await expect.poll(() => isSo(over, 'held_until <= clock_timestamp()'), { timeout: 10_000 }).toBe(true)
    await sweep(service.context)
    await tenant.putRoute(allLeads)
    const put = (until: string | null) =>
      service.call('PUT', '/v1/absence', { key: bob.key, json: { delegate: { key_id: eve.key_id }, until } })
    await put(tomorrow())
    const absent = await tenant.hold()
    expect(await tenant.decide('approve', absent, eve)).toMatchObject({ status: 200 })
    await put(null)
    const edited = await tenant.hold()
    const next = await edit(tenant, edited, ada)
    expect(next.status).toBe(200)
    const rejected = await tenant.hold()
    await tenant.decide('reject', rejected, bob)
    expect(await tenant.decide('approve', late, ada)).toMatchObject({ status: 200 })
    await service.call('POST', `/v1/tenants/${tenant.id}/api-keys/${ada.key_id}/revoke`, {
      admin: service.admin,
    })
    await tenant.putGroup('leads', [bob])
    for (const id of [late, helped, over, absent, edited, next.body.action_id, rejected])
      done.push([agent, id])

    const owner = await signUp(service.call)
    const minted = await owner.browser.call<{ api_key: string }>('POST', owner.path('/api-keys'), {
      json: { name: 'second device', scope: 'approver' },
    })
    const held = async () => {
      const wanted = proposal({ system: 'crm', operation: 'issue_refund', risk: 'high' })
      const answer = await service.call<Trace>('POST', '/v1/actions', { key: owner.agent, json: wanted })
      return answer.body.action_id
    }
    const [byKey, bySession] = [await held(), await held()]
    await service.call('POST', `/v1/actions/${byKey}/approve`, { key: minted.body.api_key, json: {} })
    await owner.browser.call('POST', owner.path(`/actions/${bySession}/approve`), { json: {} })
    done.push([owner.agent, byKey], [owner.agent, bySession])

    for (const [key, id] of done) {
      const { body } = await service.call<Trace>('GET', `/v1/actions/${id}?wait=10`, { key })
      expect({ id, kinds: body.events.map(({ kind }) => kind), is: await verified(key, id) }).toMatchObject({
        is: 'verified',
      })
    }
    const { differences, unproven, counted } = await checked()
    expect({ differences, unproven }).toEqual({ differences: { found: 0, listed: [] }, unproven: {} })
    expect(counted.decisions).toBeGreaterThan(10)
  })

  it('stands in the log in the order in which it counted, whatever comes at once', async () => {
    const { tenant, ada, bob, eve } = await bed()
    const admin = (path: string) =>
      service.call('POST', `/v1/tenants/${tenant.id}/${path}`, { admin: service.admin })
    const absence = (until: string | null) =>
      service.call('PUT', '/v1/absence', { key: bob.key, json: { delegate: { key_id: eve.key_id }, until } })
    const statuses: number[] = []
    for (let round = 0; round < 12; round += 1) {
      const cay = await tenant.person(`cay${round}`)
      await tenant.putGroup('leads', [ada, bob, cay])
      await absence(tomorrow())
      const ids = await Promise.all(Array.from({ length: 4 }, () => tenant.hold()))
      const [one = '', two = '', three = '', four = ''] = ids
      const answers = await Promise.all([
        tenant.decide('approve', one, ada),
        tenant.putGroup('leads', [bob, cay]),
        tenant.decide('approve', two, cay),
        admin(`api-keys/${cay.key_id}/revoke`),
        tenant.decide('approve', three, eve),
        absence(null),
        edit(tenant, four, ada),
      ])
      statuses.push(...answers.map(({ status }) => status))
    }
    expect(new Set(statuses).has(500)).toBe(false)
    expect((await checked()).differences).toEqual({ found: 0, listed: [] })
  })
})

describe('the check of the database', () => {
  /** Writes what no process of ours would; the guards of the database are put aside where it takes that. */
  async function forge(id: string, decide: Decide): Promise<string[]> {
    await guards('disable')
    const write = (state: ActionState) => decide(state)
    const [changed] = await changeActions(service.context, [
      { action_id: id, tenant_id: null, decide: write },
    ])
    await guards('enable always')
    expect(changed).toMatchObject({ ok: true })
    const { differences } = await checked()
    return differences.listed.flatMap(({ where, problem }) => (where === `action/${id}` ? [problem] : []))
  }

  const guards = (state: string) =>
    asSuperuser(
      service.database,
      ...['action_events_decided', 'action_events_escalated'].map(
        trigger => `alter table action_gate.action_events ${state} trigger ${trigger}`,
      ),
    )

  const asIf =
    (change: Partial<RouteTerms>, holder: string, decide: Decide): Decide =>
    state => {
      const { quorum } = state
      if (!quorum?.route) throw new Error('the action has no route')
      return decide({ ...state, quorum: { ...quorum, route: { ...quorum.route, ...change } } }, holder)
    }

  const approving = (id: string) =>
    approve({
      approver: { id, kind: 'approver' },
      payload: { note: null, name: 'forged' },
      attempts_max: 5,
      proposal_hash: null,
      request_hash: null,
    })

  const editing =
    (id: string): Decide =>
    (state, holder) =>
      supersede({ id, kind: 'approver' }, { superseded_by: 'act_none' }, state.proposal_hash)(state, holder)

  const leads = (...holders: string[]) => ({ people: new Map([['leads', holders]]) })

  it('finds a key that nobody minted', async () => {
    const { tenant } = await bed()
    const forged = asIf({}, 'name:ada', approving('apk_nobody'))
    expect(await forge(await tenant.hold(), forged)).toEqual([
      'event 2: approval by apk_nobody, a key that nobody had minted',
    ])
  })

  it('finds a key of somebody else', async () => {
    const { tenant, ada } = await bed()
    const forged = asIf({}, 'name:bob', approving(ada.key_id))
    expect(await forge(await tenant.hold(), forged)).toEqual([
      expect.stringMatching(/which says that it is of name:bob, and the key was minted for name:ada/),
    ])
  })

  it('finds a key that had been revoked', async () => {
    const { tenant, ada } = await bed()
    await service.call('POST', `/v1/tenants/${tenant.id}/api-keys/${ada.key_id}/revoke`, {
      admin: service.admin,
    })
    const forged = asIf({}, 'name:ada', approving(ada.key_id))
    expect(await forge(await tenant.hold(), forged)).toEqual([expect.stringMatching(/had been revoked/)])
  })

  it('finds somebody whom the group did not have, or no more', async () => {
    const { tenant, bob, ada, eve } = await bed()
    const outside = asIf(leads('name:eve'), 'name:eve', approving(eve.key_id))
    expect(await forge(await tenant.hold(), outside)).toEqual([
      expect.stringMatching(/for leads, which did not have name:eve/),
    ])
    const id = await tenant.hold()
    await tenant.putGroup('leads', [ada])
    expect(await forge(id, asIf(leads('name:bob'), 'name:bob', approving(bob.key_id)))).toEqual([
      expect.stringMatching(/for leads, which did not have name:bob/),
    ])
  })

  it('finds a delegate whom nobody named, or no more', async () => {
    const { tenant, bob, eve } = await bed()
    const absences = [{ absent: 'name:bob', delegate: 'name:eve' }]
    const forged = asIf({ absences }, 'name:eve', approving(eve.key_id))
    const problem = [expect.stringMatching(/in the place of name:bob, who had not named name:eve/)]
    expect(await forge(await tenant.hold(), forged)).toEqual(problem)
    const put = (until: string | null) =>
      service.call('PUT', '/v1/absence', { key: bob.key, json: { delegate: { key_id: eve.key_id }, until } })
    await put(tomorrow())
    expect(await forge(await tenant.hold(), forged)).toEqual([])
    await put(null)
    expect(await forge(await tenant.hold(), forged)).toEqual(problem)
  })

  it('finds an edit by somebody outside, also where it does not say for which group', async () => {
    const { tenant, ada, bob, eve } = await bed()
    const outside = asIf(leads('name:eve'), 'name:eve', editing(eve.key_id))
    expect(await forge(await tenant.hold(), outside)).toEqual([
      expect.stringMatching(/supersession by apk_.*, for leads, which did not have name:eve/),
    ])
    const asBefore =
      (by: Person): Decide =>
      state =>
        editing(by.key_id)({ ...state, quorum: null })
    expect(await forge(await tenant.hold(), asBefore(eve))).toEqual([
      expect.stringMatching(/supersession by apk_.*, whom no group of the route had/),
    ])
    expect(await forge(await tenant.hold(), asBefore(ada))).toEqual([])
    await service.call('PUT', '/v1/absence', {
      key: bob.key,
      json: { delegate: { key_id: eve.key_id }, until: tomorrow() },
    })
    expect(await forge(await tenant.hold(), asBefore(eve))).toEqual([])
  })

  it('finds help before the route asks for it, as does who has the export', async () => {
    const { tenant, eve } = await bed()
    await tenant.putGroup('duty', [eve])
    await tenant.putRoute({ ...allLeads, escalate: { after_ms: hour, group: 'duty' } })
    const id = await tenant.hold()
    const problem = expect.stringMatching(/event 2: escalation of .*, before the route asks for help/)
    expect(await forge(id, asIf({ asked_next: 'duty' }, '', escalate()))).toEqual([problem])
    expect(await verified(tenant.agent, id)).toEqual(problem)
  })
})

describe('keys in a database of their own', () => {
  it('may be known to another log: a decision by one is not proven, and not refused', async () => {
    const [database, keys] = [await freshDatabase(), await freshDatabase()]
    const apart = await startService({ database, keys })
    const { tenant, ada } = await bed(apart)
    const id = await tenant.hold()
    await apart.call('POST', `/v1/actions/${id}/approve`, { key: ada.key, json: {} })
    const other = await apart.tenant()
    const unknown = (await other.submit({ risk: 'high' })).body.action_id
    expect((await other.approve(unknown)).status).toBe(200)
    await tenant.settled(id)
    await other.settled(unknown)
    const { differences, unproven } = await checked(apart)
    await apart.close()
    await Promise.all([database.drop(), keys.drop()])
    expect(differences).toEqual({ found: 0, listed: [] })
    expect(unproven['decisions by keys that are not in this database']).toMatchObject({
      count: 1,
      first: `action/${unknown}`,
    })
  })
})
