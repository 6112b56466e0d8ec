import { type RiskLevel, riskRank } from '../../contract/action/proposal-schema.ts'
import type { Decision } from '../../contract/action/verdict.ts'
import type { GrantClause } from '../../contract/configuration/grant-clause.ts'
import type { NormalizedConstraint } from '../../contract/configuration/policy.ts'
import { compileGrant, grantsFor, underGrant } from '../../gate/bounded-grants.ts'
import { conditionsOf, demandTree, mergeDemands } from '../demand.ts'
import type { OperationRules } from '../operation-rules.ts'

/** Returns the rules of an operation for proposals within a grant. `evaluate` is the gate's own decision. */
export function grantedRules(before: OperationRules, clause: GrantClause): OperationRules {
  const bounds = Object.entries(clause.constraints).map(([path, constraint]) =>
    conditionsOf(path, constraint as NormalizedConstraint),
  )
  return {
    ...before,
    // This is empty, so that the search treats no constraint as equal on both sides.
    written: {},
    constraints: [...before.constraints, ...bounds],
    demands: mergeDemands(before.demands, demandTree(bounds.flatMap(({ conditions }) => conditions))),
    decisions: {
      low: decisionUnder(before, clause, 'low'),
      medium: decisionUnder(before, clause, 'medium'),
      high: decisionUnder(before, clause, 'high'),
    },
    evaluate: gateUnder(before, clause),
  }
}

function decisionUnder(
  { decisions, effective }: OperationRules,
  clause: GrantClause,
  claim: RiskLevel,
): Decision {
  const isCovered = riskRank[effective[claim]] <= riskRank[clause.risk_max]
  return decisions[claim] === 'needs_approval' && isCovered ? 'allow' : decisions[claim]
}

/** Evaluates a proposal as if the grant's key had sent it before the grant's end. */
function gateUnder({ evaluate }: OperationRules, clause: GrantClause): OperationRules['evaluate'] {
  return proposal => {
    const evaluation = evaluate(proposal)
    const { policy, catalog } = evaluation
    const grant = compileGrant({ ...clause, policy_hash: policy.hash, catalog_hash: catalog?.hash ?? null })
    const { target_system: system, operation, parameters } = proposal.action
    const subject = {
      ...{ system, operation, key_id: clause.key_id, parameters, now: '1970-01-01T00:00:00.000Z' },
      registration: () => clause.registration_hash,
    }
    return grantsFor(evaluation, [grant], subject).length > 0 ? underGrant(evaluation, grant, 1) : evaluation
  }
}

/** Makes the bounded parameter required, so that a missing value counts as beyond the bound. */
export function requiring(constraint: NormalizedConstraint): NormalizedConstraint {
  return { ...constraint, required: true }
}
