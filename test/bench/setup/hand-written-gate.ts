import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import type { Check, Evaluation, RevisionReference } from '../../../shared/contract/action/verdict.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import { operationName, sampleSystem } from './sample.ts'

/**
 * The floor of the gate: the rules of `samplePolicy` as somebody would write them down by hand, one closure an operation,
 * with the full verdict. It only knows proposals for operations of that policy with a risk below `high`.
 */
export function handWrittenGate(
  operations: number,
  policy: RevisionReference,
): (proposal: Proposal) => Evaluation {
  const byOperation = new Map(
    Array.from({ length: operations }, (_, at) => [operationName(at), closure(policy)]),
  )
  return proposal => {
    const decide = byOperation.get(proposal.action.operation)
    if (proposal.action.target_system !== sampleSystem || !decide) throw new Error('not of the sample policy')
    return decide(proposal)
  }
}

function closure(policy: RevisionReference): (proposal: Proposal) => Evaluation {
  return proposal => {
    const { amount, currency, mode, order } = proposal.action.parameters
    const checks = [...general]
    pushAmount(checks, amount)
    pushConstant(
      checks,
      currencyChecks,
      currency,
      currency === 'EUR' || currency === 'GBP' || currency === 'USD',
    )
    pushConstant(checks, modeChecks, mode, mode === 'standard')
    checks.push(orderId(order) === undefined ? orderMissing : orderPresent)
    const { level } = proposal.risk
    checks.push(level === 'low' ? lowRisk : mediumRisk)
    const blocking_reasons: string[] = []
    for (const check of checks) {
      if (check.outcome === 'fail') blocking_reasons.push(`${check.code}: ${check.message}`)
    }
    return {
      decision: blocking_reasons.length > 0 ? 'deny' : 'allow',
      review_route: null,
      blocking_reasons,
      effective_risk: { level, claimed: level, raised_by: null },
      policy,
      catalog: null,
      checks,
    }
  }
}

function pushAmount(checks: Check[], amount: JsonValue | undefined): void {
  if (amount === undefined) checks.push(...amountMissing)
  else if (typeof amount !== 'number') checks.push(...amountNoNumber)
  else {
    checks.push(amountPresent, amountIsNumber)
    checks.push(amount >= 0.01 ? amountMin : amountBelow, amount <= 50 ? amountMax : amountAbove)
  }
}

interface ConstantChecks {
  present: Check
  holds: Check
  fails: Check
  missing: readonly Check[]
}

function pushConstant(
  checks: Check[],
  { present, holds, fails, missing }: ConstantChecks,
  value: JsonValue | undefined,
  equal: boolean,
): void {
  if (value === undefined) checks.push(...missing)
  else checks.push(present, equal ? holds : fails)
}

function orderId(order: JsonValue | undefined): JsonValue | undefined {
  if (typeof order !== 'object' || order === null || Array.isArray(order)) return undefined
  return Object.hasOwn(order, 'id') ? order.id : undefined
}

type About = [check: string, path: string]

function pass([check, path]: About, message: string): Check {
  return { check, outcome: 'pass', code: null, message, path }
}

function fail([check, path]: About, code: string, message: string): Check {
  return { check, outcome: 'fail', code, message, path }
}

function skip([check, path]: About, message: string): Check {
  return { check, outcome: 'skipped', code: null, message, path }
}

const general: readonly Check[] = [
  pass(['system_allowed', 'action.target_system'], 'the system is allowed'),
  pass(['operation_allowed', 'action.operation'], 'the operation is allowed'),
  pass(['actuator_registered', 'action.target_system'], 'an actuator is registered for the system'),
  skip(['catalog_entry', 'action.operation'], 'no active catalog'),
  skip(['parameters_schema', 'action.parameters'], 'no active catalog'),
  skip(['actuator_binding', 'action.target_system'], 'no active catalog'),
  skip(['tool_schema_commitment', 'action.operation'], 'no active catalog'),
]

const about = (check: string, parameter: string): About => [check, `action.parameters.${parameter}`]
const missing = (parameter: string): Check =>
  fail(about('parameter_present', parameter), 'parameter_missing', `${parameter} is required`)
const present = (parameter: string): Check =>
  pass(about('parameter_present', parameter), `${parameter} is present`)

const amountNumber = about('parameter_is_number', 'amount')
const amountAtLeast = about('parameter_min', 'amount')
const amountAtMost = about('parameter_max', 'amount')
const amountPresent = present('amount')
const amountIsNumber = pass(amountNumber, 'amount is a number')
const amountMin = pass(amountAtLeast, 'amount is at least 0.01')
const amountMax = pass(amountAtMost, 'amount is at most 50')
const amountBelow = fail(amountAtLeast, 'parameter_below_min', 'amount must be at least 0.01')
const amountAbove = fail(amountAtMost, 'parameter_above_max', 'amount must be at most 50')
const amountMissing = [
  missing('amount'),
  ...[amountNumber, amountAtLeast, amountAtMost].map(rule => skip(rule, 'amount is missing')),
]
const amountNoNumber = [
  amountPresent,
  fail(amountNumber, 'parameter_not_a_number', 'amount must be a number'),
  ...[amountAtLeast, amountAtMost].map(rule => skip(rule, 'amount is not a number')),
]

function constantChecks(parameter: string, rule: About, code: string, phrase: string): ConstantChecks {
  return {
    present: present(parameter),
    holds: pass(rule, `${parameter} is ${phrase}`),
    fails: fail(rule, code, `${parameter} must be ${phrase}`),
    missing: [missing(parameter), skip(rule, `${parameter} is missing`)],
  }
}

const currencyChecks = constantChecks(
  'currency',
  about('parameter_one_of', 'currency'),
  'parameter_not_one_of',
  'one of "EUR", "GBP", "USD"',
)
const modeChecks = constantChecks(
  'mode',
  about('parameter_equals', 'mode'),
  'parameter_not_equal',
  'equal to "standard"',
)
const orderPresent = present('order.id')
const orderMissing = missing('order.id')

const risk = (level: string): Check =>
  pass(['approval_threshold', 'risk.level'], `effective risk ${level} is below the approval threshold high`)
const lowRisk = risk('low')
const mediumRisk = risk('medium')
