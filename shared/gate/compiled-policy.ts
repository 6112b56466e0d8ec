import { canonicalJson } from '../canon/canonical-json.ts'
import { documentHash } from '../canon/digest.ts'
import type { RiskLevel } from '../contract/action/proposal-schema.ts'
import type { RevisionReference } from '../contract/action/verdict.ts'
import type { JsonValue } from '../contract/base/json.ts'
import type { RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import type { Catalog } from '../contract/configuration/catalog.ts'
import type { Policy } from '../contract/configuration/policy.ts'
import { demandOf, type FrozenRoute, type RouteRequest } from '../contract/configuration/route-schema.ts'
import { type CatalogLookup, catalogRules } from './catalog-rules.ts'
import { type CompiledConstraint, compileConstraint } from './compile-constraint.ts'
import { compileParameterRules, type ParameterRules, unconstrained } from './parameter-rules.ts'

/** The policy, catalog and registered actuators of a tenant, compiled once per revision. */
export interface CompiledPolicy {
  readonly policy: RevisionReference
  readonly catalog: RevisionReference | null
  readonly strict: boolean
  readonly allowedSystems: ReadonlySet<string>
  /** The allowed operations of each system that has an entry in the policy. An empty set allows no operation. */
  readonly allowedOperations: ReadonlyMap<string, ReadonlySet<string>>
  readonly approvalRequiredAt: RiskLevel
  readonly approvalsRequired: number
  readonly reviewRoute: string
  /** Null if the tenant has no route with the name in the policy. Any approver may then decide. */
  readonly route: FrozenRoute | null
  readonly routeHash: string | null
  actuator(name: string): RegisteredActuator | undefined
  catalogRules: CatalogLookup
  parameterRules(system: string, operation: string): ParameterRules
}

/** The input of a compilation. `policy` and `catalog` must be normalized and must not change afterwards. */
export interface CompileInput {
  policy: Policy
  policyRevision: number
  policyHash: string
  catalog: { catalog: Catalog; revision: number; hash: string } | null
  actuators: readonly RegisteredActuator[]
  strict: boolean
  routes?: readonly FrozenRoute[]
}

export function compilePolicies(input: CompileInput): CompiledPolicy {
  const { policy, catalog, actuators, routes = [] } = input
  const route = routes.find(({ name }) => name === policy.review_route) ?? null
  const byName = new Map(actuators.map(actuator => [actuator.name, actuator]))
  return {
    policy: Object.freeze({ revision: input.policyRevision, hash: input.policyHash }),
    catalog: catalog && Object.freeze({ revision: catalog.revision, hash: catalog.hash }),
    strict: input.strict,
    allowedSystems: new Set(policy.allowed_systems),
    allowedOperations: operationSets(policy.allowed_operations),
    approvalRequiredAt: policy.approval_required_at,
    approvalsRequired: Math.max(policy.approvals_required ?? 1, demandOf(route?.required ?? [])),
    reviewRoute: policy.review_route,
    route: route && Object.freeze(route),
    routeHash: route && routeHash(route),
    actuator: name => byName.get(name),
    catalogRules: catalogRules(catalog?.catalog ?? null, input.strict),
    parameterRules: rulesLookup(policy.parameter_constraints),
  }
}

function operationSets(allowed: Policy['allowed_operations']): Map<string, Set<string>> {
  return new Map(Object.entries(allowed).map(([system, operations]) => [system, new Set(operations)]))
}

/**
 * Compiles the constraints of an operation at its first proposal, so that unused parts of a large policy cost
 * nothing. Only operations that the policy names are cached, so that callers cannot make the cache grow.
 */
function rulesLookup(constraints: Policy['parameter_constraints']): CompiledPolicy['parameterRules'] {
  const compile = compiledOnce()
  const bySystem = new Map(
    Object.entries(constraints).map(([system, ofSystem]) => [system, compiledOnDemand(ofSystem, compile)]),
  )
  return (system, operation) => bySystem.get(system)?.(operation) ?? unconstrained
}

function compiledOnDemand(
  byOperation: Policy['parameter_constraints'][string],
  compile: typeof compileConstraint,
): (operation: string) => ParameterRules | undefined {
  const compiled = new Map<string, ParameterRules>()
  return operation => {
    const known = compiled.get(operation)
    if (known) return known
    const byPath = Object.hasOwn(byOperation, operation) ? byOperation[operation] : undefined
    if (!byPath) return undefined
    const rules = compileParameterRules(byPath, compile)
    compiled.set(operation, rules)
    return rules
  }
}

/** Compiles equal constraints only once, because large policies repeat them. */
function compiledOnce(): typeof compileConstraint {
  const compiled = new Map<string, CompiledConstraint>()
  return (path, constraint) => {
    const key = JSON.stringify([path, constraint])
    const known = compiled.get(key)
    if (known) return known
    const fresh = compileConstraint(path, constraint)
    compiled.set(key, fresh)
    return fresh
  }
}

/** Returns the copy of a route that a verdict records; `filled` are the groups that have members. */
export function frozenRoute(name: string, route: RouteRequest, filled: ReadonlySet<string>): FrozenRoute {
  const empty = groupsOf(route).filter(group => !filled.has(group))
  return { name, ...route, ...(empty.length > 0 ? { groups_without_members: empty } : {}) }
}

export function groupsOf({ required, escalate }: Pick<FrozenRoute, 'required' | 'escalate'>): string[] {
  return [...new Set([...required.map(({ group }) => group), ...(escalate ? [escalate.group] : [])])]
}

/** Returns the hash of a route. It ignores which groups are empty, so that a change of members keeps the hash. */
export function routeHash({ groups_without_members: _, ...route }: FrozenRoute): string {
  return documentHash('route', canonicalJson(route as unknown as JsonValue))
}
