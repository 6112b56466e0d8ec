import { type Proposal, type RiskLevel, riskRank } from '../contract/action/proposal-schema.ts'
import type { Check, Decision, Evaluation } from '../contract/action/verdict.ts'
import { quote } from '../json-schema/faults.ts'
import { failed, passed, type Subject, shared, skipped } from './check.ts'
import type { CompiledPolicy } from './compiled-policy.ts'

/**
 * Decides a proposal (specification.md#the-gate): deny if any check fails, needs_approval if the effective risk
 * reaches the threshold, otherwise allow. It is pure and synchronous. It makes every check, so that the verdict
 * reports all failures.
 */
export function evaluate(proposal: Proposal, compiled: CompiledPolicy): Evaluation {
  const { target_system: system, operation, parameters } = proposal.action
  const { approvalRequiredAt: threshold } = compiled
  const actuator = compiled.actuator(system)
  const reviewed = compiled.catalogRules(system, operation)
  const risk = effectiveRisk(proposal.risk.level, reviewed.minimumRisk)
  const checks = [
    checkSystem(system, compiled),
    checkOperation(system, operation, compiled),
    actuator ? actuatorRegistered : actuatorNotRegistered(system),
    ...reviewed.check(parameters, actuator),
    ...compiled.parameterRules(system, operation).check(parameters),
    thresholdChecks[risk.level][threshold],
  ]
  const blocking_reasons = reasonsOf(checks)
  const decision = decide(blocking_reasons, risk.level, threshold)
  const isHeld = decision === 'needs_approval'
  return {
    decision,
    review_route: isHeld ? compiled.reviewRoute : null,
    ...(isHeld && compiled.approvalsRequired > 1 ? { approvals_required: compiled.approvalsRequired } : {}),
    ...(isHeld && compiled.route ? { route: compiled.route } : {}),
    blocking_reasons,
    effective_risk: risk,
    policy: compiled.policy,
    catalog: compiled.catalog,
    checks,
  }
}

function effectiveRisk(claimed: RiskLevel, minimum: RiskLevel): Evaluation['effective_risk'] {
  if (riskRank[minimum] <= riskRank[claimed]) return { level: claimed, claimed, raised_by: null }
  return { level: minimum, claimed, raised_by: 'catalog' }
}

function reasonsOf(checks: readonly Check[]): string[] {
  const reasons: string[] = []
  for (const check of checks) {
    if (check.outcome === 'fail') reasons.push(`${check.code}: ${check.message}`)
  }
  return reasons
}

function decide(blockingReasons: readonly string[], effective: RiskLevel, threshold: RiskLevel): Decision {
  if (blockingReasons.length > 0) return 'deny'
  return riskRank[effective] < riskRank[threshold] ? 'allow' : 'needs_approval'
}

const aboutSystem: Subject = { check: 'system_allowed', path: 'action.target_system' }
const systemAllowed = shared(passed(aboutSystem, 'the system is allowed'))

function checkSystem(system: string, compiled: CompiledPolicy): Check {
  if (compiled.allowedSystems.has(system)) return systemAllowed
  return failed(aboutSystem, 'system_not_allowed', `system ${quote(system)} is not allowed`)
}

const aboutOperation: Subject = { check: 'operation_allowed', path: 'action.operation' }
const operationAllowed = shared(passed(aboutOperation, 'the operation is allowed'))
const anyOperationAllowed = shared(passed(aboutOperation, 'any operation of the system is allowed'))
const operationOfForbiddenSystem = shared(skipped(aboutOperation, 'the system is not allowed'))

function checkOperation(system: string, operation: string, compiled: CompiledPolicy): Check {
  const listed = compiled.allowedOperations.get(system)
  if (listed === undefined) return checkUnlistedOperation(system, compiled)
  if (listed.has(operation)) return operationAllowed
  const message = `operation ${quote(operation)} is not allowed on system ${quote(system)}`
  return failed(aboutOperation, 'operation_not_allowed', message)
}

function checkUnlistedOperation(system: string, compiled: CompiledPolicy): Check {
  if (compiled.strict) {
    const message = `strict mode requires an allowed_operations entry for system ${quote(system)}`
    return failed(aboutOperation, 'explicit_operation_required', message)
  }
  return compiled.allowedSystems.has(system) ? anyOperationAllowed : operationOfForbiddenSystem
}

const aboutActuator: Subject = { check: 'actuator_registered', path: 'action.target_system' }
const actuatorRegistered = shared(passed(aboutActuator, 'an actuator is registered for the system'))

function actuatorNotRegistered(system: string): Check {
  return failed(aboutActuator, 'actuator_not_registered', `no actuator named ${quote(system)} is registered`)
}

const aboutRisk: Subject = { check: 'approval_threshold', path: 'risk.level' }

/**
 * The checks of the threshold, by effective risk and then threshold. None fails, because the threshold never
 * denies.
 */
const thresholdChecks = byRiskLevel(effective =>
  byRiskLevel(threshold => shared(thresholdCheck(effective, threshold))),
)

function thresholdCheck(effective: RiskLevel, threshold: RiskLevel): Check {
  if (riskRank[effective] < riskRank[threshold]) {
    return passed(aboutRisk, `effective risk ${effective} is below the approval threshold ${threshold}`)
  }
  const message = `effective risk ${effective} is at or above the approval threshold ${threshold}`
  return passed(aboutRisk, message, 'approval_required')
}

function byRiskLevel<Value>(make: (level: RiskLevel) => Value): Record<RiskLevel, Value> {
  return { low: make('low'), medium: make('medium'), high: make('high') }
}
