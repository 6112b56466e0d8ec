import { parseStrictJson } from '../canon/strict-json.ts'
import { type Proposal, proposalSchema } from '../contract/action/proposal-schema.ts'
import type { Evaluation } from '../contract/action/verdict.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import type { Policy } from '../contract/configuration/policy.ts'
import type { BoundHit } from '../contract/configuration/verification-schema.ts'
import { constraintsOf, type OperationRules } from './operation-rules.ts'
import type { Subject, Target } from './operations.ts'
import type { StepBudget } from './step-budget.ts'

/** A proposal with the gate's evaluation, or the size limit that the proposal exceeds. */
export type Replayed = { ok: true; proposal: Proposal; evaluation: Evaluation } | { ok: false; hit: BoundHit }

export interface Stage {
  meter: StepBudget
  bodyLimit: number
}

/**
 * Evaluates a proposal in the same way as a request: through bytes, the strict reader, the schema and the
 * gate.
 */
export function replay(proposal: Proposal, rules: OperationRules, { meter, bodyLimit }: Stage): Replayed {
  meter.replay()
  const { system, operation } = rules.target
  const tooLarge = {
    ok: false,
    hit: { bound: 'body', limit: bodyLimit, at: `${system}/${operation}` },
  } as const
  const bytes = new TextEncoder().encode(JSON.stringify(proposal))
  if (bytes.length > bodyLimit) return tooLarge
  const read = parseStrictJson(bytes)
  const parsed = proposalSchema.safeParse(read.ok ? read.value : null)
  if (!parsed.success) return tooLarge
  return { ok: true, proposal: parsed.data, evaluation: rules.evaluate(parsed.data) }
}

export function withParameters(proposal: Proposal, parameters: JsonObject): Proposal {
  return { ...proposal, action: { ...proposal.action, parameters } }
}

export function clausesOf(
  { checks, decision }: Evaluation,
  { target, entry }: OperationRules,
  { policy }: Subject,
): string[] {
  const { system, operation } = target
  const listed = Object.hasOwn(policy.allowed_operations, system)
  const clauses: Record<string, string> = {
    system_allowed: 'policy.allowed_systems',
    operation_allowed: listed
      ? `policy.allowed_operations.${system}`
      : 'policy.allowed_operations (no entry for the system: any operation)',
    catalog_entry: entry ? `catalog.operations.${system}.${operation}` : 'catalog.operations',
    parameters_schema: `catalog.operations.${system}.${operation}.parameter_schema`,
    approval_threshold: `policy.approval_required_at (${policy.approval_required_at})`,
  }
  const wanted = decision === 'deny' ? 'fail' : 'pass'
  const named = checks
    .filter(({ outcome }) => outcome === wanted)
    .map(({ check, path }) => {
      if (!check.startsWith('parameter_')) return clauses[check]
      return `policy.parameter_constraints.${system}.${operation}.${path?.slice('action.parameters.'.length)}`
    })
  return [...new Set(named.filter(clause => clause !== undefined))]
}

/**
 * Returns a `service-policy-check` fixture in the proof's mode. It holds only the operation's part of the
 * documents.
 */
export function fixtureOf(
  { policy, catalog }: Subject,
  { target, entry }: OperationRules,
  { name, proposal, decision }: { name: string; proposal: Proposal; decision: string },
): JsonObject {
  const fixture = {
    name,
    policy: sliceOf(policy, target),
    ...(catalog ? { catalog: { operations: entry ? [entry] : [] } } : {}),
    cases: [{ name, proposal, expect: { decision } }],
  }
  return JSON.parse(JSON.stringify(fixture)) as { [name: string]: JsonValue }
}

function sliceOf(policy: Policy, target: Target): Policy {
  const { system, operation } = target
  const operations = Object.hasOwn(policy.allowed_operations, system)
    ? policy.allowed_operations[system]
    : undefined
  const constraints = constraintsOf(policy, target)
  const constrained = Object.keys(constraints).length > 0
  return {
    ...policy,
    allowed_systems: policy.allowed_systems.filter(name => name === system),
    allowed_operations: operations ? { [system]: operations.filter(name => name === operation) } : {},
    parameter_constraints: constrained ? { [system]: { [operation]: constraints } } : {},
  }
}
