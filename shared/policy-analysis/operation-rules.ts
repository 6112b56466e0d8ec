import { type Proposal, type RiskLevel, riskLevels, riskRank } from '../contract/action/proposal-schema.ts'
import type { Decision, Evaluation } from '../contract/action/verdict.ts'
import { assumedActuator } from '../contract/actuator-kind/kinds.ts'
import type { RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../contract/configuration/catalog.ts'
import type { NormalizedConstraint, Policy } from '../contract/configuration/policy.ts'
import { type CompiledPolicy, compilePolicies } from '../gate/compiled-policy.ts'
import { evaluate } from '../gate/evaluate.ts'
import { unconstrained } from '../gate/parameter-rules.ts'
import { type ConstraintConditions, conditionsOf, type Demand, demandTree } from './demand.ts'
import { entriesOf, type Subject, type Target } from './operations.ts'
import { type Asked, SchemaIndex } from './schema-index.ts'
import { cost, type StepBudget } from './step-budget.ts'

/** The gate's rules for one operation, split into separate checks. */
export interface OperationRules {
  target: Target
  entry: CatalogOperation | null
  /** The code of a check that every proposal for the operation fails, or null. */
  refusal: string | null
  written: Readonly<Record<string, NormalizedConstraint>>
  constraints: readonly ConstraintConditions[]
  demands: ReadonlyMap<string, Demand>
  schema: Asked | null
  effective: Readonly<Record<RiskLevel, RiskLevel>>
  decisions: Readonly<Record<RiskLevel, Decision>>
  evaluate(proposal: Proposal): Evaluation
}

export type RulesLookup = (target: Target) => OperationRules

const hash = `sha256:${'0'.repeat(64)}`

export function rulesLookup({ policy, catalog, mode }: Subject, meter: StepBudget): RulesLookup {
  const reviewed = catalog && { catalog, revision: 1, hash }
  const fixed = { policy, policyRevision: 1, policyHash: hash, actuators: [], strict: mode === 'strict' }
  const compiled = compilePolicies({ ...fixed, catalog: reviewed })
  const entryOf = entriesOf(catalog)
  const known = new Map<string, OperationRules>()
  return target => {
    const key = `${target.system} ${target.operation}`
    const before = known.get(key)
    if (before) return before
    meter.spend(cost.rules)
    const rules = rulesOf(target, { compiled, policy, entry: entryOf(target) })
    known.set(key, rules)
    return rules
  }
}

interface Governed {
  compiled: CompiledPolicy
  policy: Policy
  entry: CatalogOperation | null
}

function rulesOf(target: Target, { compiled, policy, entry }: Governed): OperationRules {
  const bound: CompiledPolicy = { ...compiled, actuator: name => actuatorFor(entry, name) }
  const written = constraintsOf(policy, target)
  const constraints = Object.entries(written).map(([path, constraint]) => conditionsOf(path, constraint))
  const effective = byLevel(claim => higher(claim, entry?.minimum_risk ?? 'low'))
  return {
    target,
    entry,
    refusal: refusalOf(evaluate(proposalOf(target), { ...bound, parameterRules: () => unconstrained })),
    written,
    constraints,
    demands: demandTree(constraints.flatMap(({ conditions }) => conditions)),
    schema: entry && { book: new SchemaIndex(entry.parameter_schema), schema: entry.parameter_schema },
    effective,
    decisions: byLevel(claim =>
      riskRank[effective[claim]] < riskRank[policy.approval_required_at] ? 'allow' : 'needs_approval',
    ),
    evaluate: proposal => evaluate(proposal, bound),
  }
}

export function constraintsOf(
  policy: Policy,
  { system, operation }: Target,
): Readonly<Record<string, NormalizedConstraint>> {
  const ofSystem = ownMember(policy.parameter_constraints, system)
  return (ofSystem && ownMember(ofSystem, operation)) ?? {}
}

/**
 * Returns an actuator that fits the catalog's entry, because registrations are not part of the proof. If the
 * gate refuses even this actuator, it refuses every actuator.
 */
function actuatorFor(entry: CatalogOperation | null, name: string): RegisteredActuator {
  return assumedActuator(name, entry?.actuator.kind ?? 'mock', entry?.tool_schema_hash ?? undefined)
}

/**
 * Returns the code of a failed check. Parameter checks are ignored, because they say nothing about other
 * parameters.
 */
function refusalOf({ checks }: Evaluation): string | null {
  const failed = checks.find(
    ({ check, outcome }) =>
      outcome === 'fail' && check !== 'parameters_schema' && !check.startsWith('parameter_'),
  )
  return failed?.code ?? null
}

export function proposalOf({ system, operation }: Pick<Target, 'system' | 'operation'>): Proposal {
  return {
    proposal_id: 'witness-1',
    actor: { agent_id: 'any-agent' },
    summary: 'Witness of a policy verification',
    action: { target_system: system, operation, parameters: {} },
    risk: { level: 'low' },
  }
}

function higher(claim: RiskLevel, minimum: RiskLevel): RiskLevel {
  return riskRank[minimum] > riskRank[claim] ? minimum : claim
}

function byLevel<Value>(make: (level: RiskLevel) => Value): Record<RiskLevel, Value> {
  const [low, medium, high] = riskLevels
  return { low: make(low), medium: make(medium), high: make(high) }
}

function ownMember<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
