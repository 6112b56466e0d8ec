import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HeldAction } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { crm, type TestTenant } from '../../support/service/tenant.ts'
import { titled } from '../../support/short.ts'

interface Listed {
  approvals: HeldAction[]
  next_cursor: string | null
}

const slow = { name: 'slow', kind: 'mock', settings: { delay_ms: 60_000 } } as const

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ env: { SERVICE_SHUTDOWN_MS_MAX: '100' } })
  tenant = await service.tenant({
    policy: { allowed_systems: ['crm', 'slow'], approval_required_at: 'medium', review_route: 'leads' },
    actuators: [crm, slow],
  })
})

afterAll(() => service.close())

async function held(system = 'crm'): Promise<string> {
  return (await tenant.submit({ risk: 'high', system })).body.action_id
}

function list(query = '', key = tenant.approver) {
  return service.call<Listed>('GET', `/v1/approvals${query}`, { key })
}

function codeOf({ body }: { body: unknown }): string {
  return (body as Problem).code
}

describe('approving', () => {
  it('executes, and answers the result with the trace', async () => {
    const id = await held()
    const { status, body } = await tenant.approve(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action_id: id,
      action_status: 'executed',
      result: { ok: true, detail: { executed: 'read', target: 'crm', dry_run: true } },
    })
    expect(body.trace.map(({ kind }) => kind)).toEqual([
      'proposal_received',
      'verdict',
      'approval',
      'execution_attempt',
      'execution',
    ])
    const trace = await tenant.trace(id)
    expect({ root: trace.audit_root, events: trace.events }).toEqual({
      root: body.audit_root,
      events: body.trace,
    })
  })

  it('records the authenticated approver and the note, whoever the body says it was', async () => {
    const id = await held()
    await tenant.approve(id, { approver: 'the boss', note: 'looks right' })
    const { approval, events } = await tenant.trace(id)
    const principal = { id: tenant.approver.split('.')[0], kind: 'approver' }
    expect(approval).toMatchObject({ decision: 'approved', principal, note: 'looks right' })
    expect(events[2]).toMatchObject({ kind: 'approval', principal })
    expect(JSON.stringify(events)).not.toContain('the boss')
  })

  it('needs no body', async () => {
    const path = `/v1/actions/${await held()}/approve`
    expect((await service.call('POST', path, { key: tenant.approver })).status).toBe(200)
  })

  it('answers 202 where the caller does not wait, or waits too briefly', async () => {
    for (const prefer of ['wait=0', 'wait=1']) {
      const id = await held('slow')
      const { status, headers, body } = await tenant.approve(id, {}, { prefer })
      expect({ status, location: headers.location, after: headers['retry-after'] }).toEqual({
        status: 202,
        location: `/v1/actions/${id}`,
        after: '1',
      })
      expect(body.polling_url).toBe(`/v1/actions/${id}`)
      expect(body).not.toHaveProperty('result')
    }
  })

  it('twice is a conflict that leaves one approval', async () => {
    const id = await held()
    await tenant.approve(id)
    const again = await tenant.approve(id)
    expect({ status: again.status, code: codeOf(again) }).toEqual({
      status: 409,
      code: 'action_not_approvable',
    })
    const { events } = await tenant.trace(id)
    expect(events.filter(({ kind }) => kind === 'approval')).toHaveLength(1)
  })

  it.each(
    titled(
      [
        [{ note: 'x'.repeat(2_001) }, 'note'],
        [{ note: 7 }, 'note'],
        [{ approver: {} }, 'approver'],
        [{ decision: 'approve' }, 'decision'],
      ],
      40,
    ),
  )('%s is refused, and the action still held', async (_, body, path) => {
    const id = await held()
    const answer = await tenant.approve(id, body)
    expect({
      status: answer.status,
      paths: (answer.body as unknown as Problem).errors?.map(e => e.path),
    }).toEqual({
      status: 400,
      paths: [path],
    })
    expect((await tenant.trace(id)).status).toBe('pending_approval')
  })
})

describe('rejecting', () => {
  it('denies, and nothing is executed', async () => {
    const id = await held()
    const { status, body } = await tenant.reject(id, { note: 'not today' })
    expect({ status, body }).toMatchObject({ status: 200, body: { action_id: id, action_status: 'denied' } })
    expect(body).not.toHaveProperty('result')
    const trace = await tenant.trace(id)
    expect(trace).toMatchObject({
      status: 'denied',
      approval: { decision: 'rejected', note: 'not today', principal: { kind: 'approver' } },
      job: null,
      execution: null,
    })
    expect(trace.events.map(({ kind }) => kind)).toEqual(['proposal_received', 'verdict', 'rejection'])
  })

  it('after an approval, or again, is a conflict', async () => {
    const approved = await held()
    await tenant.approve(approved)
    const rejected = await held()
    await tenant.reject(rejected)
    for (const id of [approved, rejected]) {
      const answer = await tenant.reject(id)
      expect({ status: answer.status, code: codeOf(answer) }).toEqual({
        status: 409,
        code: 'action_not_approvable',
      })
    }
    expect(codeOf(await tenant.approve(rejected))).toBe('action_not_approvable')
  })
})

describe('what was never held', () => {
  it.each([
    ['executed', 'crm'],
    ['denied', 'erp'],
  ])('%s cannot be approved or rejected', async (status, system) => {
    const { body } = await tenant.submit({ system })
    expect(body.action_status).toBe(status)
    const before = await tenant.trace(body.action_id)
    for (const answer of [await tenant.approve(body.action_id), await tenant.reject(body.action_id)]) {
      expect({ status: answer.status, code: codeOf(answer) }).toEqual({
        status: 409,
        code: 'action_not_approvable',
      })
    }
    expect(await tenant.trace(body.action_id)).toEqual(before)
  })

  it('an unknown action is 404', async () => {
    for (const id of [`act_${'0'.repeat(36)}`, 'act_x']) {
      expect(codeOf(await tenant.approve(id))).toBe('action_not_found')
      expect(codeOf(await tenant.reject(id))).toBe('action_not_found')
    }
  })
})

describe('deciding at the same time', () => {
  it('of two approvals and two rejections exactly one wins, fifty times over', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => held()))
    for (const [round, id] of ids.entries()) {
      const order = [tenant.approve, tenant.reject, tenant.approve, tenant.reject]
      if (round % 2 === 1) order.reverse()
      const answers = await Promise.all(order.map(decide => decide(id)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
      const { events, status } = await tenant.trace(id)
      const decisions = events
        .map(({ kind }) => kind)
        .filter(kind => kind === 'approval' || kind === 'rejection')
      expect(decisions).toHaveLength(1)
      expect(status).toBe(decisions[0] === 'approval' ? 'executed' : 'denied')
    }
  })
})

describe('the list of approvals', () => {
  it('has what is held in the tenant, newest first, with what an approver must see', async () => {
    const mine = await service.tenant()
    const ids: string[] = []
    for (const operation of ['one', 'two', 'three']) {
      ids.unshift((await mine.submit({ risk: 'medium', operation })).body.action_id)
    }
    await mine.submit()
    const { status, body } = await list('', mine.approver)
    expect({ status, cursor: body.next_cursor }).toEqual({ status: 200, cursor: null })
    expect(body.approvals.map(({ action_id }) => action_id)).toEqual(ids)
    expect(body.approvals[0]).toMatchObject({
      status: 'pending_approval',
      review_route: 'leads',
      proposal: { action: { operation: 'three', parameters: { contact: 42 } } },
      verdict: { decision: 'needs_approval' },
    })
    const [{ created_at, expires_at }] = body.approvals as [HeldAction, ...HeldAction[]]
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * 24 * 3600 * 1000)
  })

  it('is read page by page and loses what was decided', async () => {
    const mine = await service.tenant()
    const ids: string[] = []
    for (let at = 0; at < 3; at += 1) ids.unshift((await mine.submit({ risk: 'high' })).body.action_id)
    const first = await list('?limit=2', mine.approver)
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`, mine.approver)
    expect([...first.body.approvals, ...second.body.approvals].map(({ action_id }) => action_id)).toEqual(ids)
    expect(second.body.next_cursor).toBeNull()
    await mine.approve(ids[0] ?? '')
    await mine.reject(ids[1] ?? '')
    expect((await list('', mine.approver)).body.approvals.map(({ action_id }) => action_id)).toEqual(
      ids.slice(2),
    )
  })

  it.each(['?limit=0', '?limit=201', '?cursor=act_1', '?status=denied', '?limit=1&limit=2'])(
    '%s is refused',
    async query => {
      const answer = await list(query)
      expect({ status: answer.status, code: codeOf(answer) }).toEqual({
        status: 400,
        code: 'validation_failed',
      })
    },
  )
})
