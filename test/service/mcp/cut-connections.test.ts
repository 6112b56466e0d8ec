import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { FailpointName } from '../../../shared/runtime/failpoint.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'
import { rpc } from './mcp-client.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant({
    policy: {
      allowed_systems: ['crm'],
      allowed_operations: { crm: ['read'] },
      approval_required_at: 'medium',
      review_route: 'leads',
    },
  })
})
afterAll(() => service.close())

/** Calls, and cuts the connection as soon as the service comes to a step; the service goes on after that. */
async function cutAt(step: FailpointName, params: JsonObject, meta: JsonObject): Promise<void> {
  const gone = new AbortController()
  let goOn: () => void = () => undefined
  const held = new Promise<void>(resolve => {
    goOn = resolve
  })
  const { reach } = service.context
  const reached = new Promise<void>(resolve => {
    service.context.reach = async name => {
      if (name !== step) return
      resolve()
      await held
    }
  })
  const called = rpc({ url: service.url, key: tenant.agent }, 'tools/call', params, {
    meta,
    signal: gone.signal,
  })
  const cut = expect(called).rejects.toThrow()
  await reached
  service.context.reach = reach
  gone.abort()
  await cut
  goOn()
}

const steps = ['submit_decided', 'submit_committed', 'submit_rung'] as const

async function again(params: JsonObject, meta: JsonObject) {
  const { body } = await rpc({ url: service.url, key: tenant.agent }, 'tools/call', params, {
    meta,
    tasks: true,
  })
  const result = body.result as JsonObject
  const { action_id } = (result.structuredContent as JsonObject | undefined) ?? { action_id: result.taskId }
  return String(action_id)
}

async function executions(actionId: string): Promise<number> {
  const { events } = await tenant.settled(actionId)
  return events.filter(({ kind }) => kind === 'execution').length
}

async function actions(): Promise<string[]> {
  const path = '/v1/actions?limit=200'
  const { body } = await service.call<{ actions: { action_id: string }[] }>('GET', path, {
    key: tenant.agent,
  })
  return body.actions.map(({ action_id }) => action_id)
}

describe('a call whose connection is cut', () => {
  it.each(steps)('at %s acts once when it is repeated with its id', async step => {
    const params = { name: 'crm__read', arguments: { step } }
    const meta = { 'io.action-gate/proposal-id': `cut-${step}` }
    const before = await actions()
    await cutAt(step, params, meta)
    const id = await again(params, meta)
    expect(await again(params, meta)).toBe(id)
    expect(await executions(id)).toBe(1)
    expect((await actions()).length).toBe(before.length + 1)
  })

  it.each(steps)('at %s is joined without an id, while it is open', async step => {
    const params = { name: 'crm__read', arguments: { held: step } }
    const meta = { 'io.action-gate/risk': 'high' }
    const before = await actions()
    await cutAt(step, params, meta)
    const id = await again(params, meta)
    expect(await again(params, meta)).toBe(id)
    expect((await actions()).length).toBe(before.length + 1)
    await tenant.approve(id)
    expect(await executions(id)).toBe(1)
  })
})
