import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash } from '../../canon/digest.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/base/json.ts'

export interface GrantedVerdict {
  place: number
  at: string
  verdict: JsonObject | null
  proposal: JsonObject | null
}

/**
 * Returns the problem with a verdict that a grant turned into `allow`, or null. The clause must match its hash,
 * and the key, operation and document of the proposal. It must still be valid and hold within its bounds. An
 * `allow` without a grant is a problem if approval was required. Erased content is no problem.
 */
export function grantProblem({ place, at, verdict, proposal }: GrantedVerdict): string | null {
  if (verdict === null) return null
  const { grant, decision } = verdict
  if (grant === undefined)
    return decision === 'allow' && takesApproval(verdict)
      ? `event ${place}: the verdict allows what it says takes approval`
      : null
  if (!isPlainObject(grant) || !isPlainObject(grant.clause))
    return `event ${place}: the verdict has a grant that is none`
  const { clause, clause_hash, use } = grant
  const problem =
    (decision === 'allow' ? null : `decides ${String(decision)} by a grant`) ??
    (takesApproval(verdict) ? null : 'has a grant for what takes no approval') ??
    (documentHash('grant', canonicalJson(clause)) === clause_hash
      ? null
      : 'names another grant than it shows') ??
    turnProblem(clause, use, at) ??
    documentProblem(clause, verdict) ??
    (proposal === null ? null : beyondProblem(clause, verdict, proposal))
  return problem === null ? null : `event ${place}: the verdict ${problem}`
}

function takesApproval({ checks }: JsonObject): boolean {
  return (
    Array.isArray(checks) &&
    checks.some(
      check =>
        isPlainObject(check) && check.check === 'approval_threshold' && check.code === 'approval_required',
    )
  )
}

function turnProblem(clause: JsonObject, use: JsonValue | undefined, at: string): string | null {
  const isInTurn = Number.isInteger(use) && Number(use) >= 1 && Number(use) <= Number(clause.uses_max)
  if (!isInTurn) return `is use ${String(use)} of a grant of ${String(clause.uses_max)}`
  return Date.parse(at) < Date.parse(String(clause.ends_at)) ? null : 'uses a grant that had ended'
}

function documentProblem(clause: JsonObject, { policy, catalog, principal }: JsonObject): string | null {
  const [policyHash, catalogHash] = [memberOf(policy, 'hash'), memberOf(catalog, 'hash') ?? null]
  if (clause.policy_hash !== policyHash) return 'uses a grant of another policy'
  if (clause.catalog_hash !== catalogHash) return 'uses a grant of another catalog'
  return clause.key_id === memberOf(principal, 'key_id') ? null : 'uses the grant of another key'
}

function beyondProblem(
  clause: JsonObject,
  { effective_risk }: JsonObject,
  proposal: JsonObject,
): string | null {
  const action = proposal.action
  if (
    memberOf(action, 'target_system') !== clause.system ||
    memberOf(action, 'operation') !== clause.operation
  )
    return 'uses the grant of another operation'
  const [risk, most] = [memberOf(effective_risk, 'level'), clause.risk_max].map(level =>
    risks.indexOf(String(level)),
  )
  if (risk === undefined || most === undefined || risk < 0 || risk > most)
    return 'uses a grant of a lower risk'
  const parameters = memberOf(action, 'parameters')
  const bounds = isPlainObject(clause.constraints) ? Object.entries(clause.constraints) : []
  const beyond = bounds.find(([path, bound]) => !isWithin(valueOn(path, parameters), bound))
  return beyond === undefined ? null : `is of a proposal that is beyond ${beyond[0]} of the grant`
}

const risks = ['low', 'medium', 'high']

/** Follows a path such as `a.b` through own members of plain objects only. */
function valueOn(path: string, parameters: JsonValue | undefined): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((value, name) => memberOf(value, name), parameters)
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Checks one bound with code of its own, so that an error in the gate cannot repeat here. */
function isWithin(value: JsonValue | undefined, bound: JsonValue): boolean {
  if (!isPlainObject(bound)) return false
  if (value === undefined) return bound.required === false
  const text = canonicalJson(value)
  const { equals, one_of, min, max } = bound
  if (equals !== undefined && canonicalJson(equals) !== text) return false
  if (Array.isArray(one_of) && !one_of.some(constant => canonicalJson(constant) === text)) return false
  if (min === undefined && max === undefined) return true
  if (typeof value !== 'number') return false
  return (min === undefined || value >= Number(min)) && (max === undefined || value <= Number(max))
}
