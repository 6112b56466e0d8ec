import type { Actuator, PlannedCall } from '../../actuator/actuator.ts'
import { asReviewed } from '../../actuator/as-reviewed.ts'
import { planRequest } from '../../actuator/plan-request.ts'
import { contained, type Registry, type Unavailable } from '../../actuator/registry.ts'
import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash, sha256 } from '../../canon/digest.ts'
import type { RecordedVerdict } from '../../contract/action/action.ts'
import type { PlannedRequest } from '../../contract/action/planned-request.ts'
import type { Proposal } from '../../contract/action/proposal-schema.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { Idempotency } from '../../contract/configuration/actuator-schema.ts'

export interface StoredSubject {
  target_system: string
  proposal_hash: string
  /** Canonical text; null once it is erased. */
  proposal: string | null
  verdict: string | null
  actuator: { kind: string; settings: unknown } | null
}

export interface Bound {
  actuator: Actuator
  kind: string
  proposal: Proposal
  tool_schema_hash: string | null
  /** Milliseconds for which an action without effect is retried, if its tenant or the catalog sets a limit. */
  execute_within_ms: number | undefined
  /** The hash of the operation's request form; null if its actuator does not report one. */
  request_hash: string | null
  /** The hash of the request that a person approved; null if no approval was needed. */
  approved_request: string | null
}

/**
 * Returns the executable action if proposal digest and actuator still match the decision
 * (specification.md#states). Errors that actuator code throws are caught, so that they affect this action alone.
 */
export function bind(subject: StoredSubject, registry: Registry): Bound | Unavailable {
  const { proposal, verdict, actuator: registered, target_system: name } = subject
  if (proposal === null || verdict === null)
    return { code: 'payload_erased', message: 'the proposal was erased' }
  if (documentHash('proposal', proposal) !== subject.proposal_hash) {
    return {
      code: 'proposal_digest_mismatch',
      message: 'the stored proposal is not the one that was decided',
    }
  }
  if (!registered)
    return { code: 'actuator_not_registered', message: `no actuator named ${name} is registered any more` }
  const { actuator: decided, request_hash = null, execute_within_ms } = JSON.parse(verdict) as RecordedVerdict
  if (decided?.kind !== registered.kind) {
    return { code: 'actuator_binding_mismatch', message: `${name} is not of the kind it was decided for` }
  }
  const decoded = JSON.parse(proposal) as Proposal
  const { kind } = registered
  const { operation } = decoded.action
  const settings = asReviewed(registered, operation, decided.idempotency)
  const actuator = registry({ name, kind, settings })
  if ('code' in actuator) return actuator
  return contained(name, () => ({
    actuator: ofOperation(actuator, operation, decided.idempotency),
    kind,
    proposal: decoded,
    tool_schema_hash: decided.tool_schema_hash ?? null,
    execute_within_ms,
    request_hash: requestHash(actuator, operation),
    approved_request: request_hash,
  }))
}

function ofOperation(actuator: Actuator, operation: string, reviewed: Idempotency | undefined): Actuator {
  const own = actuator.idempotencyOf?.(operation) ?? actuator.idempotency
  const idempotency = reviewed === 'none' ? 'none' : own
  return idempotency === actuator.idempotency ? actuator : { ...actuator, idempotency }
}

export function plannedHash(request: PlannedRequest): string {
  return documentHash('request', canonicalJson(request as JsonValue))
}

/**
 * Returns the bound action if it would send the request that a person approved. If the registration was replaced
 * by one that sends another request, the action ends, because the approval was not for that request.
 */
export function asApproved(
  subject: StoredSubject & { action_id: string; tenant_id: string },
  bound: Bound | Unavailable,
): Bound | Unavailable {
  const { actuator: registered, target_system: name } = subject
  if ('code' in bound || bound.approved_request === null || !registered) return bound
  const planned = planRequest({ name, ...registered }, callOf(subject, bound))
  if (plannedHash(planned) !== bound.approved_request) {
    return {
      code: 'request_changed',
      message: `${name} was registered differently when it was held: another request would be sent than was approved`,
    }
  }
  return planned.kind === 'none' ? { code: planned.code, message: planned.message } : bound
}

const retentionPresetMs = 24 * 3_600_000
const repeatedFor = 0.8

/** True if a call that may have taken effect can be repeated: only while the downstream surely remembers its key. */
export function isRepeatable(actuator: Actuator, triedForMs: number): boolean {
  const retentionMs = actuator.key_retention_ms ?? retentionPresetMs
  return actuator.idempotency === 'key_honoured' && triedForMs < repeatedFor * retentionMs
}

function requestHash(actuator: Actuator, operation: string): string | null {
  const request = actuator.requestOf?.(operation)
  if (request === undefined) return null
  return sha256(`gate/request/v1\n${canonicalJson(request)}`).toString('base64url')
}

/** True if the request has the form of the latest attempt, or if that attempt recorded none. */
export function isSameRequest({ request_hash: asks }: Bound, asked: string | null): boolean {
  return asked === null || asks === null || asked === asks
}

export function callOf(
  action: { action_id: string; tenant_id: string },
  { proposal, tool_schema_hash }: Pick<Bound, 'proposal' | 'tool_schema_hash'>,
): PlannedCall {
  const { action_id, tenant_id } = action
  const { target_system, operation, parameters } = proposal.action
  return {
    tenant_id,
    action_id,
    idempotency_key: idempotencyKey(tenant_id, action_id),
    target_system,
    operation,
    parameters,
    tool_schema_hash,
  }
}

/** Derives the key from tenant and action alone, so that all attempts share it and no other action does. */
function idempotencyKey(tenantId: string, actionId: string): string {
  return sha256(`gate/v1\n${tenantId}\n${actionId}`).toString('base64url')
}
