import { ok } from 'node:assert/strict'
import {
  type CedarValueJson,
  preparsePolicySet,
  type StatefulAuthorizationCall,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs'
import { newEnforcer, newModelFromString } from 'casbin'
import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import type { PeerGate } from '../setup/peer-gate.ts'
import { operationName, sampleSystem } from '../setup/sample.ts'

export async function peerGates(operations: number): Promise<Record<'casbin' | 'cedar', PeerGate>> {
  return { casbin: await casbinGate(operations), cedar: cedarGate(operations) }
}

const model = `
[request_definition]
r = system, operation, of

[policy_definition]
p = system, operation, rule

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = r.system == p.system && r.operation == p.operation && eval(p.rule)
`
const rule =
  'r.of.amount >= 0.01 && r.of.amount <= 50 && (r.of.currency == "EUR" || r.of.currency == "GBP" || r.of.currency == "USD")' +
  ' && r.of.mode == "standard" && r.of.order_id != "" && r.of.risk < 3'
const risks = { low: 1, medium: 2, high: 3, critical: 4 }

async function casbinGate(operations: number): Promise<PeerGate> {
  const enforcer = await newEnforcer(newModelFromString(model))
  await enforcer.addPolicies(
    Array.from({ length: operations }, (_, at) => [sampleSystem, operationName(at), rule]),
  )
  return {
    is: 'casbin, one rule an operation, enforced synchronously',
    prepare(proposal) {
      const { target_system, operation } = proposal.action
      const of = facts(proposal)
      return () => enforcer.enforceSync(target_system, operation, of)
    },
  }
}

function cedarGate(operations: number): PeerGate {
  const names = Array.from({ length: operations }, (_, at) => operationName(at))
  const staticPolicies = names.map(cedarPolicy).join('\n')
  const preparsedPolicySetId = `bench-${operations}`
  const parsed = preparsePolicySet(preparsedPolicySetId, { staticPolicies })
  ok(parsed.type === 'success', JSON.stringify(parsed))
  return {
    is: 'cedar-wasm, one policy an operation, parsed before',
    prepare(proposal) {
      const { amount, currency, mode, order_id, risk } = facts(proposal)
      const context: Record<string, CedarValueJson> = {
        cents: Math.round(amount * 100),
        currency,
        mode,
        order_id,
        risk,
      }
      const call: StatefulAuthorizationCall = {
        principal: { type: 'Agent', id: proposal.actor.agent_id },
        action: { type: 'Action', id: proposal.action.operation },
        resource: { type: 'System', id: proposal.action.target_system },
        context,
        preparsedPolicySetId,
        entities: [],
      }
      return () => {
        const answer = statefulIsAuthorized(call)
        return answer.type === 'success' && answer.response.decision === 'allow'
      }
    },
  }
}

function cedarPolicy(operation: string): string {
  return `permit (principal, action == Action::"${operation}", resource == System::"${sampleSystem}") when {
    context.cents >= 1 && context.cents <= 5000 && ["EUR", "GBP", "USD"].contains(context.currency) &&
    context.mode == "standard" && context.order_id != "" && context.risk < 3 };`
}

/** What the rules look at; money as a number, since the engines have no exact decimals that are as fast. */
function facts({ action, risk }: Proposal) {
  const { amount, currency, mode, order } = action.parameters
  const { id } = order as { id?: string }
  return {
    amount: Number(amount),
    currency: String(currency),
    mode: String(mode),
    order_id: id ?? '',
    risk: risks[risk.level],
  }
}
