import { canonicalJson } from '../canon/canonical-json.ts'
import { documentHash } from '../canon/digest.ts'
import { riskRank } from '../contract/action/proposal-schema.ts'
import type { Evaluation } from '../contract/action/verdict.ts'
import { isPlainObject, type JsonObject, type JsonValue, memberOf } from '../contract/base/json.ts'
import type { RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import type { GrantClause } from '../contract/configuration/grant-clause.ts'
import type { NormalizedConstraint } from '../contract/configuration/policy.ts'
import { passed } from './check.ts'
import { compileConstraint } from './compile-constraint.ts'
import { compileParameterRules, type ParameterRules } from './parameter-rules.ts'

export interface CompiledGrant {
  clause: GrantClause
  clause_hash: string
  parameters: ParameterRules
}

/** The facts of a proposal that grants compare; `now` is the database's time. */
export interface GrantSubject {
  system: string
  operation: string
  key_id: string
  parameters: JsonObject
  now: string
  /** Returns the registration's hash. It is called last, so that no hash is made for other mismatches. */
  registration(): string | undefined
}

export function compileGrant(clause: GrantClause): CompiledGrant {
  const { constraints } = clause
  return {
    clause,
    clause_hash: clauseHash(clause),
    parameters: compileParameterRules(constraints as Record<string, NormalizedConstraint>, compileConstraint),
  }
}

export function clauseHash(clause: GrantClause): string {
  return documentHash('grant', canonicalJson(clause as unknown as JsonValue))
}

/**
 * Returns the grants that may allow a held proposal (specification.md#bounded-grants). A grant applies only while
 * the hashes of policy and catalog equal those in the grant's proof.
 */
export function grantsFor(
  evaluation: Evaluation,
  grants: readonly CompiledGrant[],
  subject: GrantSubject,
): CompiledGrant[] {
  if (evaluation.decision !== 'needs_approval') return []
  return grants.filter(grant => covers(grant, evaluation, subject))
}

function covers(
  { clause, parameters }: CompiledGrant,
  { effective_risk, policy, catalog }: Evaluation,
  subject: GrantSubject,
): boolean {
  return (
    clause.key_id === subject.key_id &&
    clause.system === subject.system &&
    clause.operation === subject.operation &&
    clause.policy_hash === policy.hash &&
    clause.catalog_hash === (catalog?.hash ?? null) &&
    riskRank[effective_risk.level] <= riskRank[clause.risk_max] &&
    Date.parse(subject.now) < Date.parse(clause.ends_at) &&
    parameters.check(subject.parameters).every(({ outcome }) => outcome !== 'fail') &&
    isRegisteredAs(clause, subject.registration)
  )
}

/**
 * Returns true if the registration has the hash in the grant's proof. Old grants have no such hash and match any.
 */
export function isRegisteredAs(
  { registration_hash }: GrantClause,
  registration: () => string | undefined,
): boolean {
  return registration_hash === undefined || registration_hash === registration()
}

/** Hashes only the settings of one operation, so that a change to another operation does not end the grant. */
export function registrationHash({ kind, settings }: RegisteredActuator, operation: string): string {
  const alone = (all: unknown): JsonValue => (isPlainObject(all) ? (memberOf(all, operation) ?? null) : null)
  const { operations, tools, ...rest } = settings as JsonObject
  const concerning = { ...rest, operations: alone(operations), tools: alone(tools) }
  return documentHash('registration', canonicalJson({ kind, settings: concerning }))
}

/**
 * Turns a held evaluation into an allowed one. It removes approvals and route, because the grant replaces them.
 */
export function underGrant(evaluation: Evaluation, grant: CompiledGrant, use: number): Evaluation {
  const { approvals_required: _, route: __, ...rest } = evaluation
  const { clause, clause_hash } = grant
  const message = `use ${use} of ${clause.uses_max} of the grant ${clause.grant_id}`
  return {
    ...rest,
    decision: 'allow',
    review_route: null,
    grant: { clause, clause_hash, use },
    checks: [...evaluation.checks, passed({ check: 'bounded_grant', path: null }, message, 'granted')],
  }
}
