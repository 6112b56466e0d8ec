import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'
import { rpc } from './mcp-client.ts'

let service: TestService
let tenant: TestTenant
let stranger: TestTenant

beforeAll(async () => {
  service = await startService()
  const policy = {
    allowed_systems: ['crm'],
    allowed_operations: { crm: ['read'] },
    approval_required_at: 'medium',
    review_route: 'leads',
  } satisfies PolicyInput
  tenant = await service.tenant({ policy })
  stranger = await service.tenant({ policy })
})
afterAll(() => service.close())

const tasks = { tasks: true }

async function ask(method: string, params: JsonObject, key = tenant.agent): Promise<JsonObject> {
  const { body } = await rpc({ url: service.url, key }, method, params, tasks)
  return (body.result ?? body.error) as JsonObject
}

let contact = 0
async function heldTask(): Promise<{ taskId: string; created: JsonObject }> {
  contact += 1
  const { body } = await rpc(
    { url: service.url, key: tenant.agent },
    'tools/call',
    { name: 'crm__read', arguments: { contact } },
    { ...tasks, meta: { 'io.action-gate/risk': 'high' } },
  )
  return { taskId: String(body.result?.taskId), created: body.result ?? {} }
}

describe('a held call of a client with tasks', () => {
  it('is a task with the id of the action, which ends with the result', async () => {
    const { taskId, created } = await heldTask()
    expect(created).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 5_000 })
    expect(created.ttlMs).toBe(604_800_000)
    expect(await ask('tasks/get', { taskId })).toMatchObject({ resultType: 'complete', status: 'working' })
    await tenant.approve(taskId)
    await tenant.settled(taskId)
    const ended = await ask('tasks/get', { taskId })
    expect(ended).toMatchObject({ status: 'completed', result: { isError: false } })
    expect(ended.result).toMatchObject({ structuredContent: { action_id: taskId, status: 'executed' } })
  })

  it('says how many are queued before it', async () => {
    const admin = { admin: service.admin, json: { reason: 'night' } }
    await service.call('POST', `/v1/tenants/${tenant.id}/pause`, admin)
    const [first, second, third] = [await heldTask(), await heldTask(), await heldTask()]
    for (const { taskId } of [first, second, third]) await tenant.approve(taskId, {}, { prefer: 'wait=0' })
    const told = async ({ taskId }: { taskId: string }) => (await ask('tasks/get', { taskId })).statusMessage
    expect(await told(first)).toBe('Queued for execution.')
    expect(await told(third)).toBe('Queued for execution behind 2 of the same system.')
    await service.call('POST', `/v1/tenants/${tenant.id}/resume`, admin)
    for (const { taskId } of [first, second, third])
      expect((await tenant.settled(taskId)).status).toBe('executed')
  })

  it('that a person rejects is completed, and is no error to be mended', async () => {
    const { taskId } = await heldTask()
    await tenant.reject(taskId, { note: 'no' })
    const ended = await ask('tasks/get', { taskId })
    expect(ended).toMatchObject({ status: 'completed', result: { isError: false } })
  })

  it('that the client cancels is withdrawn', async () => {
    const { taskId } = await heldTask()
    expect(await ask('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' })
    expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' })
    expect((await tenant.trace(taskId)).outcome).toMatchObject({ code: 'withdrawn' })
  })

  it('says that a cancellation comes too late', async () => {
    const { taskId } = await heldTask()
    await tenant.approve(taskId)
    await tenant.settled(taskId)
    const answer = await ask('tasks/cancel', { taskId })
    expect(answer._meta).toMatchObject({
      'io.action-gate/not-withdrawn': { code: 'action_not_approvable' },
    })
  })

  it('takes no answer of a client for an approval', async () => {
    const { taskId } = await heldTask()
    await ask('tasks/update', { taskId, inputResponses: { approve: { action: 'accept' } } })
    expect((await tenant.trace(taskId)).status).toBe('pending_approval')
  })
})

describe('a task', () => {
  it('of another tenant is as unknown as one that never was', async () => {
    const { taskId } = await heldTask()
    const answers = await Promise.all(
      ['tasks/get', 'tasks/cancel'].flatMap(method =>
        [taskId, `act_${'0'.repeat(36)}`].map(id => ask(method, { taskId: id }, stranger.agent)),
      ),
    )
    for (const answer of answers)
      expect(answer).toMatchObject({ code: -32602, data: { code: 'action_not_found' } })
  })

  it('is not for a client that does not declare the extension', async () => {
    const { taskId } = await heldTask()
    const { body } = await rpc({ url: service.url, key: tenant.agent }, 'tasks/get', { taskId })
    expect(body.error?.code).toBe(-32021)
  })
})
