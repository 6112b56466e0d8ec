import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../shared/contract/action/tool-result-schema.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'
import { connect, type Era, rpc } from './mcp-client.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ env: { SERVICE_MCP_WAIT_MS: '400' } })
  tenant = await service.tenant({
    policy: {
      allowed_systems: ['crm', 'mail'],
      allowed_operations: { crm: ['read', 'erase'], mail: ['send'] },
      parameter_constraints: { crm: { erase: { sure: { equals: true } } } },
      approval_required_at: 'medium',
      review_route: 'leads',
    },
  })
})
afterAll(() => service.close())

const at = () => ({ url: service.url, key: tenant.agent })

async function call(name: string, given: Record<string, unknown>, meta: Record<string, string> = {}) {
  const params = { name, arguments: given } as never
  const { body } = await rpc(at(), 'tools/call', params, { meta })
  return { ...body, told: body.result?.structuredContent as ToolResult }
}

const held = { 'io.action-gate/risk': 'high' }

async function actionCount(): Promise<number> {
  const { body } = await service.call<{ actions: unknown[] }>('GET', '/v1/actions?limit=200', {
    key: tenant.agent,
  })
  return body.actions.length
}

describe.each<Era>(['modern', 'legacy'])('the official client of the %s protocol', era => {
  it('lists the operations that the policy could allow, and the tools of the service', async () => {
    const client = await connect(service.url, tenant.agent, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['crm__erase', 'crm__read', 'action_wait', 'action_status'])
    await client.close()
  })

  it('calls what is allowed and gets the result of the execution', async () => {
    const client = await connect(service.url, tenant.agent, era)
    await client.listTools()
    const answer = await client.callTool({ name: 'crm__read', arguments: { contact: 1, era } })
    const told = answer.structuredContent as unknown as ToolResult
    expect([answer.isError, told.status, told.decision]).toEqual([false, 'executed', 'allow'])
    const trace = await tenant.trace(told.action_id)
    expect([told.result, told.audit_root]).toEqual([trace.execution?.result?.detail, trace.audit_root])
    expect(trace.proposal.actor.agent_id).toBe(era === 'modern' ? 'client of modern' : `${tenant.id} agent`)
    await client.close()
  })

  it('gets a denial as a result with its codes, and it is recorded', async () => {
    const client = await connect(service.url, tenant.agent, era)
    const answer = await client.callTool({ name: 'crm__erase', arguments: { sure: false, era } })
    const told = answer.structuredContent as unknown as ToolResult
    expect(answer.isError).toBe(false)
    expect(told).toMatchObject({ status: 'denied', reasons: [{ code: 'parameter_not_equal' }] })
    expect((await tenant.trace(told.action_id)).status).toBe('denied')
    await client.close()
  })
})

describe('a held call of a client without tasks', () => {
  it('says where it stands, goes on by itself, and action_wait has its end', async () => {
    const { told } = await call('crm__read', { contact: 2 }, held)
    expect(told).toMatchObject({ status: 'pending_approval', outcome: null })
    expect(told.message).toContain('leads')
    await tenant.approve(told.action_id)
    const waited = await call('action_wait', { action_id: told.action_id })
    expect(waited.told).toMatchObject({ action_id: told.action_id, status: 'executed' })
    expect((await call('action_status', { action_id: told.action_id })).told.status).toBe('executed')
  })

  it('tells of its progress where that was asked for', async () => {
    const client = await connect(service.url, tenant.agent)
    const heard: string[] = []
    const options = { onprogress: ({ message = '' }) => void heard.push(message) }
    const params = { name: 'crm__read', arguments: { contact: 3 }, _meta: held }
    await client.callTool(params, options)
    expect(heard).toEqual([expect.stringContaining('Waiting for a person to approve: leads')])
    await client.close()
  })

  it('that a person rejected has the reason, and is no error to be mended', async () => {
    const { told } = await call('crm__read', { contact: 4 }, held)
    await tenant.reject(told.action_id, { note: 'not today' })
    const { result } = await call('action_status', { action_id: told.action_id })
    expect(result?.isError).toBe(false)
    expect(result?.structuredContent?.outcome).toMatchObject({ code: 'rejected', message: 'not today' })
  })
})

describe('a repeated call', () => {
  it('with the same id is the same action, also after it ended', async () => {
    const meta = { 'io.action-gate/proposal-id': 'pay-1' }
    const first = await call('crm__read', { contact: 5 }, meta)
    const again = await call('crm__read', { contact: 5 }, meta)
    const byArgument = await call('crm__read', { contact: 5, action_gate_proposal_id: 'pay-1' })
    expect([again.told, byArgument.told].map(({ action_id }) => action_id)).toEqual([
      first.told.action_id,
      first.told.action_id,
    ])
    const other = await call('crm__read', { contact: 6 }, meta)
    expect(other.result?._meta).toMatchObject({ 'io.action-gate/problem': { code: 'proposal_conflict' } })
  })

  it('without an id joins the open action of its key, and never a settled one', async () => {
    const first = await call('crm__read', { contact: 7 }, held)
    const joined = await Promise.all([1, 2, 3].map(() => call('crm__read', { contact: 7 }, held)))
    const raised = await call('crm__read', { contact: 7 })
    expect(new Set([...joined, raised].map(({ told }) => told.action_id))).toEqual(
      new Set([first.told.action_id]),
    )
    await tenant.reject(first.told.action_id)
    const ids = new Set<string>()
    for (let round = 0; round < 9; round += 1)
      ids.add((await call('crm__read', { contact: 7 })).told.action_id)
    expect(ids.size).toBe(9)
    expect(ids.has(first.told.action_id)).toBe(false)
  })
})

describe('the series of a key', () => {
  /** Another agent of the tenant, who knows the proposal ids of the first one. */
  async function planter(): Promise<string> {
    const key = { name: 'planter', scope: 'agent', tenant_id: tenant.id, expires_at: null } as const
    return (await plantKey(service.context, key)).api_key
  }

  async function plant(key: string, id: string, contact: number): Promise<unknown[]> {
    const json = {
      proposal_id: id,
      actor: { agent_id: 'planter' },
      summary: 'Planted',
      action: { target_system: 'crm', operation: 'read', parameters: { contact } },
      risk: { level: 'low' },
    }
    const { status, body } = await service.call<Problem>('POST', '/v1/actions', { key, json })
    const params = { name: 'crm__read', arguments: { contact } }
    const meta = { 'io.action-gate/proposal-id': id }
    const byTool = await rpc({ url: service.url, key }, 'tools/call', params as never, { meta })
    const problem = byTool.body.result?._meta as { 'io.action-gate/problem'?: { code?: string } } | undefined
    return [status, body.errors?.map(({ code }) => code), problem?.['io.action-gate/problem']?.code]
  }

  it('takes no action that another key proposes under the next id', async () => {
    const before = await actionCount()
    const first = await call('crm__read', { contact: 40 }, held)
    const { proposal_id } = (await tenant.trace(first.told.action_id)).proposal
    const keys = [await planter(), tenant.agent]
    for (const next of [1, 2, 3, 7, 2 ** 30 - 1]) {
      const id = proposal_id.replace(/0$/, String(next))
      for (const key of keys)
        expect(await plant(key, id, 40)).toEqual([400, ['reserved_id'], 'validation_failed'])
    }
    const again = await call('crm__read', { contact: 40 }, held)
    expect(again.told.action_id).toBe(first.told.action_id)
    expect(await actionCount()).toBe(before + 1)
    await tenant.reject(first.told.action_id)
  })
})

describe('what is no call', () => {
  it.each([
    ['an unknown tool', 'tools/call', { name: 'crm__burn', arguments: {} }, 'unknown_tool'],
    ['a tool of 10 kB', 'tools/call', { name: 'x'.repeat(10_000), arguments: {} }, 'unknown_tool'],
    ['an action of nobody', 'tasks/get', { taskId: `act_${'0'.repeat(36)}` }, 'action_not_found'],
    ['an id of 10 kB', 'tasks/get', { taskId: 'x'.repeat(10_000) }, 'action_not_found'],
    ['a number for an id', 'tasks/get', { taskId: 7 }, 'action_not_found'],
  ])('%s has a stable code, and nothing is recorded', async (_, method, params, code) => {
    const before = await actionCount()
    const { body } = await rpc(at(), method, params as never, { tasks: true })
    expect([body.error?.code, body.error?.data?.code]).toEqual([-32602, code])
    expect(await actionCount()).toBe(before)
  })

  it('a proposal id that is none is refused before anything is recorded', async () => {
    const before = await actionCount()
    const { result } = await call('crm__read', { action_gate_proposal_id: 'no spaces' })
    expect(result?.isError).toBe(true)
    expect(result?._meta).toMatchObject({ 'io.action-gate/problem': { code: 'validation_failed' } })
    expect(await actionCount()).toBe(before)
  })
})

describe('the list of tools', () => {
  it('leaves out what a proof says is always denied', async () => {
    const properties = (minimum: number) => ({ amount: { type: 'integer', minimum } })
    const operation = (name: string, minimum: number) => ({
      system: 'crm',
      operation: name,
      title: `Pay ${name}`,
      parameter_schema: {
        type: 'object',
        additionalProperties: false,
        required: ['amount'],
        properties: properties(minimum),
      },
      minimum_risk: 'low',
      effects: ['pays'],
      reversibility: 'reversible',
      actuator: { name: 'crm', kind: 'mock' },
      idempotency: 'none',
      tool_schema_hash: null,
    })
    const most = { amount: { max: 50 } }
    const payer = await service.tenant({
      policy: {
        allowed_systems: ['crm'],
        parameter_constraints: { crm: { never: most, some: most } },
        approval_required_at: 'high',
        review_route: 'leads',
      },
    })
    const catalog = {
      operations: [
        operation('never', 60),
        operation('some', 40),
        operation('s.ame', 1),
        operation('s_ame', 1),
      ],
    }
    const path = `/v1/tenants/${payer.id}/catalog`
    const made = await service.call<{ warnings: { code: string }[] }>('POST', path, {
      admin: service.admin,
      json: catalog,
    })
    expect(made.body.warnings.map(({ code }) => code)).toEqual(['tool_name_shared', 'tool_name_shared'])
    const { body } = await rpc({ url: service.url, key: payer.agent }, 'tools/list')
    expect(body.result?.tools?.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^crm__s_ame_[0-9a-f]{8}$/),
      expect.stringMatching(/^crm__s_ame_[0-9a-f]{8}$/),
      'crm__some',
      'action_wait',
      'action_status',
    ])
  })
})
