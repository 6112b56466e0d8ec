// What a program writes with the client that @hey-api/openapi-ts makes: it submits two proposals, approves one and reads both.
import { createClient, createConfig } from './generated/client/index.js'
import { approveAction, type Proposal, readAction, submitAction } from './generated/index.js'

const [, , baseUrl = '', agent = '', approver = ''] = process.argv
const asAgent = createClient(createConfig({ baseUrl, auth: agent, throwOnError: true }))
const asApprover = createClient(createConfig({ baseUrl, auth: approver, throwOnError: true }))

const proposal: Proposal = {
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

const throwOnError = true
const allowed = await submitAction({ client: asAgent, body: proposal, throwOnError })
const risky: Proposal = { ...proposal, proposal_id: 'refund-2', risk: { level: 'high' } }
const held = await submitAction({ client: asAgent, body: risky, throwOnError })
const path = { action_id: held.data.action_id }
await approveAction({ client: asApprover, path, body: { note: 'fine' }, throwOnError })
const { data: trace } = await readAction({ client: asAgent, path, query: { wait: 20 }, throwOnError })
const told = [
  allowed.data.action_status,
  held.data.action_status,
  trace.status,
  trace.proposal?.action.parameters,
]
process.stdout.write(JSON.stringify(told))
