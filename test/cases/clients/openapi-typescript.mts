// What a program writes with the types of openapi-typescript: it submits two proposals, approves one and reads both.
import type { operations } from './generated.mjs'

type Submit = operations['submit_action']
type Approve = operations['approve_action']
type Read = operations['read_action']

const [, , url = '', agent = '', approver = ''] = process.argv

const proposal: Submit['requestBody']['content']['application/json'] = {
  proposal_id: 'refund-1',
  actor: { agent_id: 'agent-1' },
  summary: 'Refund order 1',
  action: {
    target_system: 'crm',
    operation: 'refund',
    parameters: { amount: 20, order: { id: 'order-1' }, tags: ['a', 'b'] },
  },
  risk: { level: 'low' },
}
// @ts-expect-error: the parameters of an operation are an object
proposal.action.parameters = 'amount=20'
proposal.action.parameters = { amount: 20, order: { id: 'order-1' } }

async function call<Answer>(path: string, key: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(new URL(path, url), { headers, ...init })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

type VerdictOf = Submit['responses'][200]['content']['application/json']
const allowed = await call<VerdictOf>('/v1/actions', agent, proposal)
const risky: typeof proposal = { ...proposal, proposal_id: 'refund-2', risk: { level: 'high' } }
const held = await call<VerdictOf>('/v1/actions', agent, risky)
const decision: NonNullable<Approve['requestBody']>['content']['application/json'] = { note: 'fine' }
await call<Approve['responses'][200]['content']['application/json']>(
  `/v1/actions/${held.action_id}/approve`,
  approver,
  decision,
)
type TraceOf = Read['responses'][200]['content']['application/json']
const trace = await call<TraceOf>(`/v1/actions/${held.action_id}?wait=20`, agent)
const told: unknown[] = [
  allowed.action_status,
  held.action_status,
  trace.status,
  trace.proposal?.action.parameters,
]
process.stdout.write(JSON.stringify(told))
