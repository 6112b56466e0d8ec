import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  actionGate,
  type Gate,
  type RunOptions,
  type Trace,
  type Verdict,
} from '../../shared/client/index.ts'
import type { AuditExport } from '../../shared/contract/action/action.ts'
import type { AuditKeyList, LogCheckpoint } from '../../shared/contract/action/audit-log.ts'
import { newName } from '../../shared/runtime/ids.ts'
import type { Access } from './own-service.ts'

type Say = (text: string) => void

export async function tellStory(access: Access, say: Say, auditDirectory: string | null): Promise<void> {
  const cast = await assemble(access, say)
  const first = await allowed(cast)
  const older = auditDirectory === null ? null : await loggedCheckpoint(cast, first)
  const approved = await heldAndApproved(cast)
  await denied(cast)
  say('\nEvery step above is in an append-only trace whose Merkle root anyone can recompute.')
  if (auditDirectory !== null && older !== null) await keepAudit(cast, auditDirectory, older, approved)
}

async function loggedCheckpoint({ call, agentKey }: Cast, actionId: string): Promise<LogCheckpoint> {
  await call<AuditExport>('GET', `/v1/actions/${actionId}/audit-export`, bearer(agentKey))
  return call<LogCheckpoint>('GET', '/v1/audit/checkpoint', bearer(agentKey))
}

async function keepAudit(
  { call, say, agentKey }: Cast,
  directory: string,
  older: LogCheckpoint,
  actionId: string,
): Promise<void> {
  const { keys } = await call<AuditKeyList>('GET', '/v1/audit/keys', {})
  const path = `/v1/actions/${actionId}/audit-export?from_size=${older.size}`
  const exported = await call<AuditExport>('GET', path, bearer(agentKey))
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'keys.txt'), keys.map(({ vkey }) => `${vkey}\n`).join(''))
  await writeFile(join(directory, 'checkpoint.txt'), older.checkpoint)
  await writeFile(join(directory, 'export.json'), JSON.stringify(exported))
  say(`\nFor an auditor, in ${directory}: keys.txt, checkpoint.txt (of after the first action), export.json.`)
}

interface Cast {
  call: Call
  say: Say
  agent: Gate
  agentKey: string
  approver: Gate
  run: string
}

async function assemble({ url, adminKey }: Access, say: Say): Promise<Cast> {
  const call = caller(url)
  const run = newName('run')
  const tenant = `demo_${run}`
  const admin = { 'x-service-admin-key': adminKey }
  say(`Action Gate at ${url}`)
  say(`\nAn operator creates the application ${tenant} from the template "support":`)
  const created = await call<{ api_key: string }>('POST', '/v1/tenants', admin, {
    tenant_id: tenant,
    template: 'support',
  })
  const approver = { name: 'support lead', scope: 'approver' }
  const minted = await call<{ api_key: string }>('POST', `/v1/tenants/${tenant}/api-keys`, admin, approver)
  say('  refunds up to 50 are allowed; medium risk and above waits for the support leads')
  say('  one key for the agent, another for the approver; each is shown once')
  const agent = actionGate({ url, key: created.api_key, agent: 'support-agent' })
  return {
    call,
    say,
    agent,
    agentKey: created.api_key,
    approver: actionGate({ url, key: minted.api_key }),
    run,
  }
}

async function allowed({ say, agent, run }: Cast): Promise<string> {
  say('\n1. The agent proposes a refund of 20 EUR at low risk')
  const verdict = await agent.submit('payments.refund', refund(20), saidOf(`${run}-small`, 20, 'low'))
  sayVerdict(say, verdict)
  const { result } = await agent.settled(verdict.action_id)
  say(`   a worker executed it: ${JSON.stringify(result)}`)
  sayTrace(say, await agent.read(verdict.action_id))
  return verdict.action_id
}

async function heldAndApproved({ say, agent, approver, run }: Cast): Promise<string> {
  say('\n2. The agent proposes a refund of 45 EUR and says itself that the risk is medium')
  const verdict = await agent.submit('payments.refund', refund(45), saidOf(`${run}-larger`, 45, 'medium'))
  sayVerdict(say, verdict)
  say(`   the agent stops; it waits for ${verdict.review_route}`)
  const { items } = await approver.approvals.list()
  say(`   the approver reads: ${items.map(({ proposal }) => `"${proposal.summary}"`).join(', ')}`)
  const approval = await approver.approvals.approve(verdict.action_id, {
    note: 'photo of the damage checked',
  })
  say(`   approved; the action is ${approval.status}`)
  await agent.settled(verdict.action_id)
  sayTrace(say, await agent.read(verdict.action_id))
  return verdict.action_id
}

async function denied({ say, agent, run }: Cast): Promise<void> {
  say('\n3. The agent proposes a refund of 900 EUR')
  const verdict = await agent.submit('payments.refund', refund(900), saidOf(`${run}-large`, 900, 'low'))
  sayVerdict(say, verdict)
  for (const reason of verdict.blocking_reasons) say(`   because ${reason}`)
  sayTrace(say, await agent.read(verdict.action_id))
}

function sayVerdict(say: Say, verdict: Verdict): void {
  const { decision, action_status, effective_risk, policy } = verdict
  say(
    `   the gate says ${decision} (risk ${effective_risk.level}, policy revision ${policy.revision}); the action is ${action_status}`,
  )
}

function sayTrace(say: Say, trace: Trace): void {
  for (const { sequence, kind, at, principal } of trace.events) {
    say(`     ${sequence}  ${at.slice(11, 23)}  ${kind.padEnd(18)} by ${principal.kind} ${principal.id}`)
  }
  say(`     root ${trace.audit_root}`)
}

function refund(amount: number) {
  return { amount, currency: 'EUR', order: { id: 'order-1001' }, reason: 'damaged' }
}

function saidOf(proposalId: string, amount: number, risk: 'low' | 'medium'): RunOptions {
  return {
    proposalId,
    runId: 'demo',
    summary: `Refund ${amount} EUR for an order that arrived damaged`,
    rollbackPlan: 'Charge the amount again with the customer’s consent',
    risk,
    blastRadius: `one customer, ${amount} EUR`,
  }
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}

type Call = <Answer>(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
) => Promise<Answer>

function caller(url: string): Call {
  return async (method, path, headers, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
}
