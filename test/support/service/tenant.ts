import { randomBytes } from 'node:crypto'
import type { DecisionResponse, Trace } from '../../../shared/contract/action/action.ts'
import type { ActionStatus } from '../../../shared/contract/action/action-status.ts'
import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { issueKey } from '../../../shared/flow/tenant/issue-key.ts'
import { seedTenants } from '../../../shared/flow/tenant/tenants.ts'
import type { Answer, Client } from './http.ts'
import { plantKey } from './plant-key.ts'

export interface TenantTraits {
  policy?: PolicyInput
  actuators?: RegisteredActuator[]
  /** Its keys are issued with their events; else they are stored alone, which leaves its log shorter. */
  issued?: boolean
}

export interface TestTenant {
  id: string
  agent: string
  approver: string
  /** Submits a proposal; a new one each time unless it has a `proposal_id`. */
  submit(change?: ProposalChange, headers?: Record<string, string>): Promise<Answer<Verdict>>
  approve(
    actionId: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer<DecisionResponse>>
  reject(actionId: string, body?: object): Promise<Answer<DecisionResponse>>
  trace(actionId: string): Promise<Trace>
  /** The trace once nothing more happens to the action. */
  settled(actionId: string): Promise<Trace>
}

/** Reads low run, medium and high ones are held; systems beside `crm` are denied. */
export const plainPolicy: PolicyInput = {
  allowed_systems: ['crm'],
  approval_required_at: 'medium',
  review_route: 'leads',
}

export const crm: RegisteredActuator = { name: 'crm', kind: 'mock', settings: {} }

/** What the test says of a proposal; the rest is filled in. */
export interface ProposalChange {
  proposal_id?: string
  summary?: string
  risk?: Proposal['risk']['level']
  system?: string
  operation?: string
  parameters?: Proposal['action']['parameters']
}

export function proposal(change: ProposalChange = {}): Proposal {
  return {
    proposal_id: change.proposal_id ?? `p-${randomBytes(8).toString('hex')}`,
    actor: { agent_id: 'agent-1' },
    summary: change.summary ?? 'Read a contact',
    action: {
      target_system: change.system ?? 'crm',
      operation: change.operation ?? 'read',
      parameters: change.parameters ?? { contact: 42 },
    },
    risk: { level: change.risk ?? 'low' },
  }
}

/** Makes a tenant as the configuration file would, with keys as the admin would mint them. */
export async function makeTenant(
  { context, call }: { context: Context; call: Client },
  traits: TenantTraits = {},
): Promise<TestTenant> {
  const id = `t-${randomBytes(6).toString('hex')}`
  const { policy = plainPolicy, actuators = [crm], issued = false } = traits
  await seedTenants(context, { tenants: [{ tenant_id: id, policy, actuators }] })
  const issue = async (scope: 'agent' | 'approver') => {
    const key = { name: `${id} ${scope}`, scope, tenant_id: id, expires_at: null }
    const made = issued ? issueKey(context, key, { source: 'test' }) : plantKey(context, key)
    return (await made).api_key
  }
  const [agent, approver] = await Promise.all([issue('agent'), issue('approver')])
  const trace = async (path: string) => (await call<Trace>('GET', path, { key: agent })).body
  return {
    id,
    agent,
    approver,
    submit: (change, headers = {}) =>
      call('POST', '/v1/actions', { key: agent, json: proposal(change), headers }),
    approve: (actionId, json = {}, headers = {}) =>
      call('POST', `/v1/actions/${actionId}/approve`, { key: approver, json, headers }),
    reject: (actionId, json = {}) => call('POST', `/v1/actions/${actionId}/reject`, { key: approver, json }),
    trace: actionId => trace(`/v1/actions/${actionId}`),
    async settled(actionId) {
      const found = await trace(`/v1/actions/${actionId}?wait=30`)
      if (!settledStatuses.has(found.status)) throw new Error(`${actionId} is still ${found.status}`)
      return found
    },
  }
}

const settledStatuses: ReadonlySet<ActionStatus> = new Set([
  'executed',
  'denied',
  'execution_failed',
  'outcome_unknown',
])
