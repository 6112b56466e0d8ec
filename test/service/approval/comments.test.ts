import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionGate, type Comment, Withdrawn } from '../../../shared/client/index.ts'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { CommentRequest, CommentResponse } from '../../../shared/contract/action/comment-schema.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { signUp } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'
import { rpc } from '../mcp/mcp-client.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
  tenant = await service.tenant({
    policy: {
      allowed_systems: ['crm'],
      allowed_operations: { crm: ['read'] },
      review_route: 'leads',
      approval_required_at: 'medium',
    },
  })
})
afterAll(() => service.close())

const change: CommentRequest = { kind: 'change_request', text: 'at most 50, please' }
const remark: CommentRequest = { kind: 'comment', text: 'who pays?' }

async function held(): Promise<string> {
  return (await tenant.submit({ risk: 'high' })).body.action_id
}

function comment(id: string, json: object, key = tenant.approver) {
  return service.call<CommentResponse & Problem>('POST', `/v1/actions/${id}/comments`, { key, json })
}

describe('what is said of a held action', () => {
  it('is an event that its agent reads in trace and verdict, and decides nothing', async () => {
    const submission = { risk: 'high' as const, proposal_id: 'commented-1' }
    const id = (await tenant.submit(submission)).body.action_id
    const said = await comment(id, remark)
    expect(said).toMatchObject({ status: 200, body: { action_status: 'pending_approval' } })
    await comment(id, change)
    const trace = await tenant.trace(id)
    const told = [
      { kind: 'comment', text: 'who pays?', principal: { kind: 'approver' }, name: expect.any(String) },
      { kind: 'change_request', text: 'at most 50, please', at: expect.any(String) },
    ]
    expect(trace).toMatchObject({ status: 'pending_approval', comments: told, approval: null })
    expect(trace.events.map(({ kind }) => kind).slice(2)).toEqual(['comment', 'change_request'])
    const again = await tenant.submit(submission)
    expect(again.body).toMatchObject({ action_id: id, comments: told })
    expect((await tenant.approve(id)).body.action_status).toBe('executed')
  })

  it('is in the lists of those who decide', async () => {
    const id = await held()
    await comment(id, change)
    for (const path of [`/v1/approvals/${id}`, '/v1/approvals?limit=200', '/v1/inbox?limit=200']) {
      const { body } = await service.call<{ approvals?: object[] }>('GET', path, { key: tenant.approver })
      const shown = body.approvals?.find(one => (one as { action_id?: string }).action_id === id) ?? body
      expect(shown, path).toMatchObject({ comments: [{ kind: 'change_request' }] })
    }
  })

  it('ends a wait of the agent for a change', async () => {
    const id = await held()
    const path = `/v1/actions/${id}`
    const first = await service.call<Trace>('GET', path, { key: tenant.agent })
    const headers = { 'if-none-match': String(first.headers.etag) }
    const waiting = service.call<Trace>('GET', `${path}?wait=30`, { key: tenant.agent, headers })
    await comment(id, change)
    expect(await waiting).toMatchObject({ status: 200, body: { comments: [{ text: change.text }] } })
  })

  it('is recorded once, however often the same is sent', async () => {
    const id = await held()
    await comment(id, change)
    expect((await comment(id, change)).body.comments).toHaveLength(1)
    expect((await comment(id, { ...change, kind: 'comment' })).body.comments).toHaveLength(2)
  })

  it('finds room until the action has as many events as it may', async () => {
    const id = await held()
    const rooms = limits.commented_events_max - 2
    const texts = Array.from({ length: rooms }, (_, at) => ({ kind: 'comment', text: `number ${at}` }))
    for (const one of texts) expect((await comment(id, one)).status).toBe(200)
    expect(await comment(id, remark)).toMatchObject({ status: 409, body: { code: 'too_many_comments' } })
    expect((await tenant.approve(id)).body.action_status).toBe('executed')
  })

  it('is refused where nothing waits, of other tenants, and from an agent', async () => {
    const id = await held()
    const stranger = await service.tenant()
    expect(await comment(id, remark, stranger.approver)).toMatchObject({ status: 404 })
    expect(await comment(id, remark, tenant.agent)).toMatchObject({ body: { code: 'wrong_scope' } })
    await tenant.reject(id)
    expect(await comment(id, remark)).toMatchObject({ body: { code: 'action_not_approvable' } })
  })

  it('has a text of 1 to 2,000 characters', async () => {
    const id = await held()
    for (const text of ['', 'x'.repeat(limits.note_length_max + 1)])
      expect(await comment(id, { kind: 'comment', text })).toMatchObject({ status: 400 })
    expect(await comment(id, { kind: 'comment', text: 'x'.repeat(limits.note_length_max) })).toMatchObject({
      status: 200,
    })
  })

  it('goes with the content that an admin erases', async () => {
    const id = await held()
    await comment(id, { kind: 'comment', text: 'a name that must go' })
    await tenant.reject(id)
    const path = `/v1/tenants/${tenant.id}/actions/${id}`
    const json = { reason: 'asked for' }
    expect(await service.call('POST', `${path}/erase`, { admin: service.admin, json })).toMatchObject({
      status: 200,
    })
    const exported = await service.call('GET', `/v1/actions/${id}/audit-export`, { key: tenant.agent })
    expect(exported.text).toContain('comment')
    expect(exported.text).not.toContain('a name that must go')
  })

  it('comes from an owner too, under their address', async () => {
    const owner = await signUp(service.call)
    const path = `/v1/accounts/tenants/${owner.tenant_id}`
    const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
      key: owner.agent,
      json: proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high' }),
    })
    const said = await owner.browser.call<CommentResponse>(
      'POST',
      `${path}/actions/${body.action_id}/comments`,
      { json: change },
    )
    expect(said).toMatchObject({
      status: 200,
      body: { comments: [{ principal: { kind: 'owner' }, name: owner.email, text: change.text }] },
    })
  })
})

describe('an agent', () => {
  it('hears of a requested change while its client waits', async () => {
    const agent = actionGate({ url: service.url, key: tenant.agent })
    const { approvals } = actionGate({ url: service.url, key: tenant.approver })
    const heard: Comment[] = []
    const run = agent.run(
      'crm.read',
      { contact: 7 },
      {
        risk: 'high',
        onHeld: async ({ actionId }) => {
          expect(await approvals.comment(actionId, change)).toHaveLength(1)
        },
        onComment: async said => {
          heard.push(said)
          const [action] = (await approvals.list({ limit: 1 })).items
          await agent.cancel(action?.action_id ?? '', { note: 'proposing less' })
        },
      },
    )
    await expect(run).rejects.toBeInstanceOf(Withdrawn)
    expect(heard).toMatchObject([{ kind: 'change_request', text: change.text }])
  })

  it('reads it in the message of its task', async () => {
    const { body } = await rpc(
      { url: service.url, key: tenant.agent },
      'tools/call',
      { name: 'crm__read', arguments: { contact: 8 } },
      { tasks: true, meta: { 'io.action-gate/risk': 'high' } },
    )
    const taskId = String(body.result?.taskId)
    const message = async () => {
      const answer = await rpc(
        { url: service.url, key: tenant.agent },
        'tasks/get',
        { taskId },
        { tasks: true },
      )
      return answer.body.result?.statusMessage
    }
    await comment(taskId, remark)
    expect(await message()).toMatch(/says: who pays\?/)
    await comment(taskId, change)
    expect(await message()).toMatch(/asks for changes: at most 50, please\. Withdraw this one/)
  })
})
