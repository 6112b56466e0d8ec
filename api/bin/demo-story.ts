import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditExport, DecisionResponse, HeldAction, Trace } from '../../shared/contract/action/action.ts'
import type { AuditKeyList, LogCheckpoint } from '../../shared/contract/action/audit-log.ts'
import type { Proposal } from '../../shared/contract/action/proposal.ts'
import type { Verdict } from '../../shared/contract/action/verdict.ts'
import { newName } from '../../shared/runtime/ids.ts'
import type { Access } from './own-service.ts'

type Say = (text: string) => void

/** Three actions, told as they happen: one allowed, one held and approved, one denied. */
export async function tellStory(access: Access, say: Say, auditDirectory: string | null): Promise<void> {
  const cast = await assemble(access, say)
  const first = await allowed(cast)
  const older = auditDirectory === null ? null : await loggedCheckpoint(cast, first)
  const approved = await heldAndApproved(cast)
  await denied(cast)
  say('\nEvery step above is in an append-only trace whose Merkle root anyone can recompute.')
  if (auditDirectory !== null && older !== null) await keepAudit(cast, auditDirectory, older, approved)
}

/** The signed checkpoint of the tenant's log once it has taken up an action. */
async function loggedCheckpoint({ call, agent }: Cast, actionId: string): Promise<LogCheckpoint> {
  await call<AuditExport>('GET', `/v1/actions/${actionId}/audit-export`, bearer(agent))
  return call<LogCheckpoint>('GET', '/v1/audit/checkpoint', bearer(agent))
}

/** What an auditor needs: the key, a checkpoint that is kept, and a later export of an action. */
async function keepAudit(
  { call, say, agent }: Cast,
  directory: string,
  older: LogCheckpoint,
  actionId: string,
): Promise<void> {
  const { keys } = await call<AuditKeyList>('GET', '/v1/audit/keys', {})
  const path = `/v1/actions/${actionId}/audit-export?from_size=${older.size}`
  const exported = await call<AuditExport>('GET', path, bearer(agent))
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'keys.txt'), keys.map(({ vkey }) => `${vkey}\n`).join(''))
  await writeFile(join(directory, 'checkpoint.txt'), older.checkpoint)
  await writeFile(join(directory, 'export.json'), JSON.stringify(exported))
  say(`\nFor an auditor, in ${directory}: keys.txt, checkpoint.txt (of after the first action), export.json.`)
}

interface Cast {
  call: Call
  say: Say
  agent: string
  approver: string
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
  return { call, say, agent: created.api_key, approver: minted.api_key, run }
}

async function allowed({ call, say, agent, run }: Cast): Promise<string> {
  say('\n1. The agent proposes a refund of 20 EUR at low risk')
  const verdict = await call<Verdict>('POST', '/v1/actions', bearer(agent), refund(`${run}-small`, 20, 'low'))
  sayVerdict(say, verdict)
  const trace = await settled(call, agent, verdict.action_id)
  say(`   a worker executed it: ${JSON.stringify(trace.execution?.result)}`)
  sayTrace(say, trace)
  return verdict.action_id
}

async function heldAndApproved({ call, say, agent, approver, run }: Cast): Promise<string> {
  say('\n2. The agent proposes a refund of 45 EUR and says itself that the risk is medium')
  const verdict = await call<Verdict>(
    'POST',
    '/v1/actions',
    bearer(agent),
    refund(`${run}-larger`, 45, 'medium'),
  )
  sayVerdict(say, verdict)
  say(`   the agent stops; it waits for ${verdict.review_route}`)
  const { approvals } = await call<{ approvals: HeldAction[] }>('GET', '/v1/approvals', bearer(approver))
  say(`   the approver reads: ${approvals.map(({ proposal }) => `"${proposal.summary}"`).join(', ')}`)
  const path = `/v1/actions/${verdict.action_id}/approve`
  const approval = await call<DecisionResponse>('POST', path, bearer(approver), {
    note: 'photo of the damage checked',
  })
  say(`   approved; the action is ${approval.action_status}`)
  sayTrace(say, await settled(call, agent, verdict.action_id))
  return verdict.action_id
}

async function denied({ call, say, agent, run }: Cast): Promise<void> {
  say('\n3. The agent proposes a refund of 900 EUR')
  const verdict = await call<Verdict>(
    'POST',
    '/v1/actions',
    bearer(agent),
    refund(`${run}-large`, 900, 'low'),
  )
  sayVerdict(say, verdict)
  for (const reason of verdict.blocking_reasons) say(`   because ${reason}`)
  sayTrace(say, await settled(call, agent, verdict.action_id))
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

/** The trace once nothing more happens to the action, by long polls. */
async function settled(call: Call, key: string, actionId: string): Promise<Trace> {
  for (let polls = 0; polls < 10; polls += 1) {
    const trace = await call<Trace>('GET', `/v1/actions/${actionId}?wait=10`, bearer(key))
    if (['executed', 'denied', 'execution_failed', 'outcome_unknown'].includes(trace.status)) return trace
  }
  throw new Error(`action ${actionId} did not settle; is a worker running?`)
}

function refund(id: string, amount: number, level: Proposal['risk']['level']): Proposal {
  return {
    proposal_id: id,
    actor: { agent_id: 'support-agent', run_id: 'demo' },
    summary: `Refund ${amount} EUR for an order that arrived damaged`,
    action: {
      target_system: 'payments',
      operation: 'refund',
      parameters: { amount, currency: 'EUR', order: { id: 'order-1001' }, reason: 'damaged' },
      rollback_plan: 'Charge the amount again with the customer’s consent',
    },
    risk: { level, blast_radius: `one customer, ${amount} EUR` },
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
