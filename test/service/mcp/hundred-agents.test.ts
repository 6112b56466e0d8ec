import { expect, it } from 'vitest'
import type { ToolResult } from '../../../shared/contract/action/tool-result-schema.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import { startService } from '../../support/service/service.ts'
import { rpc } from './mcp-client.ts'

const policy = (max: number): PolicyInput => ({
  allowed_systems: ['crm'],
  allowed_operations: { crm: ['pay'] },
  parameter_constraints: { crm: { pay: { amount: { max } } } },
  approval_required_at: 'high',
  review_route: 'leads',
})

it('a policy that was in force decides for a hundred agents, and nothing is doubled', async () => {
  const service = await startService({ env: { SERVICE_RATE_LIMIT: '100000' } })
  const tenant = await service.tenant({ policy: policy(100) })
  const most = new Map([[1, 100]])
  let changing = true
  const changes = (async () => {
    for (let max = 0; changing; max = 100 - max) {
      const path = `/v1/tenants/${tenant.id}/policy`
      const json = policy(max)
      const { body } = await service.call<{ revision: number }>('PUT', path, { admin: service.admin, json })
      most.set(body.revision, max)
    }
  })()
  const agents = Array.from({ length: 100 }, async (_, agent) => {
    const results: ToolResult[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      const params = { name: 'crm__pay', arguments: { amount: 50, agent, turn } }
      const meta = { 'io.action-gate/proposal-id': `agent-${agent}-${turn}` }
      const twice = await Promise.all(
        [1, 2].map(() => rpc({ url: service.url, key: tenant.agent }, 'tools/call', params, { meta })),
      )
      const told = twice.map(({ body }) => body.result?.structuredContent as ToolResult)
      expect(told[0]?.action_id).toBe(told[1]?.action_id)
      results.push(told[0] as ToolResult)
    }
    return results
  })
  const results = (await Promise.all(agents)).flat()
  changing = false
  await changes
  expect(new Set(results.map(({ action_id }) => action_id)).size).toBe(300)
  expect(most.size).toBeGreaterThan(2)
  for (const { action_id, decision } of results) {
    const { verdict, events } = await tenant.settled(action_id)
    expect(decision).toBe(most.get(verdict.policy.revision) === 100 ? 'allow' : 'deny')
    expect(events.filter(({ kind }) => kind === 'execution').length).toBe(decision === 'allow' ? 1 : 0)
  }
  await service.close()
}, 120_000)
