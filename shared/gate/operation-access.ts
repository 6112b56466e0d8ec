import type { OperationAccess } from '../contract/access/access-schema.ts'
import type { Proposal } from '../contract/action/proposal-schema.ts'
import type { Check, Evaluation } from '../contract/action/verdict.ts'
import { isRegistered, kindOf } from '../contract/actuator-kind/kinds.ts'
import type { RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import type { Catalog, CatalogOperation } from '../contract/configuration/catalog.ts'
import type { FreezeSelector } from '../contract/configuration/freeze-schema.ts'
import type { NormalizedConstraint, Policy } from '../contract/configuration/policy.ts'
import type { CompiledGrant } from './bounded-grants.ts'
import type { CompiledPolicy } from './compiled-policy.ts'
import { evaluate } from './evaluate.ts'
import { exampleParameters } from './example-parameters.ts'
import { applyFreezes, isFrozen } from './freeze.ts'

export interface AccessRules {
  policy: Policy
  catalog: Catalog | null
  compiled: CompiledPolicy
  freezes: readonly FreezeSelector[]
  /** Selectors of the actions that wait although they were accepted. */
  pauses: readonly FreezeSelector[]
  grants: readonly CompiledGrant[]
  key_id: string | null
}

export interface AccessTarget {
  system: string
  operation: string
  entry: CatalogOperation | null
}

/** A stand-in for every unnamed operation of a system; it is unambiguous because no operation name has a space. */
export const anyOther = 'any other'

export interface NamingDocuments {
  policy: Policy
  catalog: Catalog | null
  actuators: readonly RegisteredActuator[]
}

/**
 * Lists every named operation in the order of names, then one stand-in per system whose operations are
 * unrestricted.
 */
export function namedTargets({ policy, catalog, actuators }: NamingDocuments): AccessTarget[] {
  const named = new Map<string, AccessTarget>()
  const add = (system: string, operations: readonly string[], entry: CatalogOperation | null = null) => {
    for (const operation of operations) named.set(`${system} ${operation}`, { system, operation, entry })
  }
  for (const actuator of actuators) {
    add(actuator.name, Object.keys(kindOf(actuator).operations(actuator.settings) ?? {}))
  }
  for (const [system, ofSystem] of Object.entries(policy.parameter_constraints))
    add(system, Object.keys(ofSystem))
  for (const [system, operations] of Object.entries(policy.allowed_operations)) add(system, operations)
  for (const entry of catalog?.operations ?? []) add(entry.system, [entry.operation], entry)
  const unlisted = policy.allowed_systems.filter(system => !Object.hasOwn(policy.allowed_operations, system))
  const sorted = [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, target]) => target)
  return [...sorted, ...unlisted.map(system => ({ system, operation: anyOther, entry: null }))]
}

/**
 * Returns the access to an operation, as the gate decides an example with the lowest claimed risk. It returns null
 * if only the example's parameters fail, because other parameters may pass.
 */
export function exampleAccess(rules: AccessRules, target: AccessTarget): OperationAccess | null {
  const evaluation = decideFor(rules, exampleFor(rules, target))
  const failed = evaluation.checks.filter(({ outcome }) => outcome === 'fail')
  const ofAll = failed.find(check => !isAboutParameters(check))
  if (ofAll) return answerOf(rules, target, deniedBy(ofAll.code, ofAll.message))
  return failed.length > 0 ? null : acceptedAccess(rules, target, evaluation)
}

/**
 * Returns the access after an accepted proposal of the lowest claim, since only the claim and the catalog decide
 * on approval.
 */
export function acceptedAccess(
  rules: AccessRules,
  target: AccessTarget,
  evaluation: Evaluation,
): OperationAccess {
  const { compiled, policy } = rules
  const threshold = compiled.approvalRequiredAt
  if (evaluation.decision === 'needs_approval') {
    const cause = evaluation.checks.find(({ code }) => code === 'approval_required')
    const route = compiled.reviewRoute
    const granted = hasGrant(rules, target) ? ' What a grant allows runs at once.' : ''
    const message = `A person approves every call before it runs. ${route} decides, since ${cause?.message}.${granted}`
    return answerOf(rules, target, {
      answer: 'held',
      code: 'approval_required',
      review_route: route,
      message,
    })
  }
  const bounds = [
    ...(target.entry ? ["the catalog's schema"] : []),
    ...(Object.keys(conditionsOf(policy, target)).length > 0 ? ["the policy's conditions"] : []),
  ].join(' or ')
  const denied = bounds === '' ? '' : ` Parameters outside ${bounds} are denied.`
  const message = `A person approves a call whose risk is ${threshold} or higher; others run at once.${denied}`
  return answerOf(rules, target, { answer: 'allowed', code: null, review_route: null, message })
}

export function refusedAccess(rules: AccessRules, target: AccessTarget): OperationAccess {
  return answerOf(
    rules,
    target,
    deniedBy('no_parameters', "no parameters meet the catalog's schema and the policy's conditions"),
  )
}

/** Returns an open answer, because no proof shows that any parameters pass. */
export function openAccess(rules: AccessRules, target: AccessTarget, why: string): OperationAccess {
  const message = `The gate decides each call; no example of one that it accepts is known: ${why}.`
  return answerOf(rules, target, { answer: 'open', code: 'not_proved', review_route: null, message })
}

/** Decides a proposal as a submission would, but without grants. */
export function decideFor(
  { compiled, freezes, key_id }: Pick<AccessRules, 'compiled' | 'freezes' | 'key_id'>,
  proposal: Proposal,
): Evaluation {
  const { target_system: system, operation } = proposal.action
  return applyFreezes(evaluate(proposal, compiled), freezes, { system, operation, key_id })
}

type Answer = Omit<OperationAccess, 'unavailable'>

function deniedBy(code: string | null, why: string): Answer {
  return { answer: 'denied', code, review_route: null, message: `Every call is denied: ${why}.` }
}

function answerOf(rules: AccessRules, target: AccessTarget, answer: Answer): OperationAccess {
  return { ...answer, unavailable: answer.answer === 'denied' ? null : unavailableIn(rules, target) }
}

function unavailableIn(
  { compiled, pauses }: AccessRules,
  { system, operation }: AccessTarget,
): OperationAccess['unavailable'] {
  const actuator = compiled.actuator(system)
  if (actuator && !isRegistered(actuator, operation)) {
    const message = 'Nothing executes it: the actuator of the system has no such operation.'
    return { code: 'not_registered', message }
  }
  if (!isFrozen(pauses, { system, operation, key_id: null })) return null
  return { code: 'paused', message: 'It is paused: what is accepted waits.' }
}

/** Compares the document hashes too, because a grant is inactive under other documents than those of its proof. */
function hasGrant({ grants, key_id, compiled }: AccessRules, { system, operation }: AccessTarget): boolean {
  return grants.some(
    ({ clause }) =>
      clause.system === system &&
      clause.operation === operation &&
      (key_id === null || clause.key_id === key_id) &&
      clause.policy_hash === compiled.policy.hash &&
      clause.catalog_hash === (compiled.catalog?.hash ?? null),
  )
}

function isAboutParameters({ check }: Check): boolean {
  return check === 'parameters_schema' || check.startsWith('parameter_')
}

function exampleFor({ policy }: AccessRules, target: AccessTarget): Proposal {
  const parameters = exampleParameters(target.entry?.parameter_schema ?? null, conditionsOf(policy, target))
  return {
    proposal_id: 'example-1',
    actor: { agent_id: 'any-agent' },
    summary: 'Example of an operation',
    action: { target_system: target.system, operation: target.operation, parameters },
    risk: { level: 'low' },
  }
}

function conditionsOf(
  { parameter_constraints }: Policy,
  { system, operation }: AccessTarget,
): Readonly<Record<string, NormalizedConstraint>> {
  const ofSystem = Object.hasOwn(parameter_constraints, system) ? parameter_constraints[system] : undefined
  return (ofSystem && Object.hasOwn(ofSystem, operation) ? ofSystem[operation] : undefined) ?? {}
}
