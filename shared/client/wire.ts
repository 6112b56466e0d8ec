export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue }
export type JsonObject = { [name: string]: JsonValue }

export type ActionStatus =
  | 'received'
  | 'allowed'
  | 'pending_approval'
  | 'approved'
  | 'execution_pending'
  | 'executing'
  | 'denied'
  | 'executed'
  | 'execution_failed'
  | 'outcome_unknown'

export type Decision = 'allow' | 'needs_approval' | 'deny'
export type RiskLevel = 'low' | 'medium' | 'high'

/** The body of `POST /v1/actions`. */
export interface Proposal {
  proposal_id: string
  actor: { agent_id: string; run_id?: string | undefined }
  summary: string
  action: {
    target_system: string
    operation: string
    parameters: JsonObject
    rollback_plan?: string | undefined
  }
  risk: { level: RiskLevel; blast_radius?: string | undefined }
  callback?: Callback | undefined
}

/** A recorded proposal. If a person edited the proposal, it names the editor and the action that it replaces. */
export interface RecordedProposal extends Proposal {
  supersedes?: { action_id: string; editor: Principal; name: string } | undefined
}

export interface Callback {
  /** The address of the callback. It must begin with the URL of a webhook of the tenant for `action.callback`. */
  url: string
  /** Data that the callback returns unchanged; at most 1,024 bytes as JSON. */
  data?: JsonValue | undefined
}

export interface Principal {
  id: string
  kind: KeyScope | 'owner' | 'gate' | 'worker' | 'system'
}

export interface ActionOutcome {
  status: ActionStatus
  code: string
  message: string
  by: Principal & { name: string | null }
  /** The id of the replacing action, if `code` is `superseded`. */
  superseded_by?: string | undefined
  body?: JsonValue | undefined
  try_again: boolean
  /** Present if the gate denied the action; true if the agent may propose again with corrected parameters. */
  mendable?: boolean | undefined
  next?: string | undefined
}

/** A comment on a held action. A `change_request` asks the agent for another proposal. */
export interface Comment {
  kind: 'comment' | 'change_request'
  principal: Principal
  name: string | null
  text: string
  at: string
}

export interface ActuatorResult {
  ok: boolean
  detail: JsonObject
}

export interface Check {
  check: string
  outcome: 'pass' | 'fail' | 'skipped'
  code: string | null
  message: string
  path: string | null
}

export interface RevisionReference {
  revision: number
  hash: string
}

export interface RouteDemand {
  group: string
  approvals: number
}

export interface Route {
  name: string
  required: RouteDemand[]
  decide_within_ms?: number | undefined
  escalate?: { after_ms: number; group: string } | undefined
  groups_without_members?: string[] | undefined
}

/** The grant that allowed the action. Without the grant, the action would have been held. */
export interface UsedGrant {
  clause: {
    grant_id: string
    key_id: string
    system: string
    operation: string
    constraints: Record<string, unknown>
    risk_max: RiskLevel
    uses_max: number
    ends_at: string
    policy_hash: string
    catalog_hash: string | null
  }
  clause_hash: string
  use: number
}

export interface Evaluation {
  decision: Decision
  approvals_required?: number | undefined
  route?: Route | undefined
  grant?: UsedGrant | undefined
  blocking_reasons: string[]
  effective_risk: { level: RiskLevel; claimed: RiskLevel; raised_by: 'catalog' | null }
  policy: RevisionReference
  catalog: RevisionReference | null
  checks: Check[]
}

export type KeyScope = 'agent' | 'policy_author' | 'approver' | 'auditor' | 'operator' | 'admin' | 'on_call'

export interface KeyPrincipal {
  key_id: string
  name: string
  scope: KeyScope
  tenant_id: string | null
}

/** The answer of `POST /v1/actions`. */
export interface Verdict extends Evaluation {
  action_id: string
  proposal_id: string
  action_status: ActionStatus
  review_route?: string | undefined
  polling_url?: string | undefined
  /** The page on which a person decides; present while the action is held. */
  review_url?: string | undefined
  comments?: Comment[] | undefined
  principal: KeyPrincipal
  audit: { root: string; event_count: number; url: string }
  result?: ActuatorResult | undefined
  outcome?: ActionOutcome | undefined
}

export interface PlannedRequest {
  [member: string]: unknown
}

export interface RecordedVerdict extends Evaluation {
  review_route: string | null
  principal: KeyPrincipal
  proposal_hash: string
  request?: PlannedRequest | undefined
  request_hash?: string | undefined
}

export interface TraceEvent {
  sequence: number
  kind: string
  at: string
  principal: Principal
  body: JsonObject | null
  leaf_hash: string
}

export interface ApprovalRecord {
  decision: 'approved' | 'rejected' | 'expired' | 'cancelled' | 'superseded'
  principal: Principal
  note: string | null
  at: string
}

export interface Approvals {
  required: number
  given: number
  by: { principal: Principal; name: string | null; holder: string; note: string | null; at: string }[]
}

export interface ExecutionRecord {
  outcome: 'ok' | 'failed' | 'retry' | 'unknown'
  attempt: number
  result: ActuatorResult | null
  error: { code: string; message: string; body?: JsonValue | undefined } | null
  at: string
}

/** The answer of `GET /v1/actions/{action_id}`. */
export interface Trace {
  action_id: string
  tenant_id: string
  proposal: RecordedProposal
  status: ActionStatus
  verdict: RecordedVerdict
  approval: ApprovalRecord | null
  approvals?: Approvals | undefined
  comments?: Comment[] | undefined
  review_url?: string | undefined
  outcome: ActionOutcome | null
  execution: ExecutionRecord | null
  audit_root: string
  events: TraceEvent[]
  created_at: string
  updated_at: string
}

export interface ActionSummary {
  action_id: string
  proposal_id: string
  status: ActionStatus
  decision: Decision
  agent_id: string
  summary: string
  target_system: string
  operation: string
  effective_risk: RiskLevel
  created_at: string
  updated_at: string
}

export interface HeldAction {
  action_id: string
  status: ActionStatus
  proposal: RecordedProposal
  verdict: RecordedVerdict
  review_route: string
  review_url?: string | undefined
  approvals?: Approvals | undefined
  comments?: Comment[] | undefined
  route?: { missing: RouteDemand[]; groups_without_members: string[]; names_you: boolean } | undefined
  created_at: string
  expires_at: string
}

/** The answer of approve, reject and cancel. */
export interface DecisionResponse {
  action_id: string
  action_status: ActionStatus
  approvals?: Approvals | undefined
  result?: ActuatorResult | undefined
  outcome?: ActionOutcome | undefined
  audit_root: string
  trace: TraceEvent[]
  polling_url?: string | undefined
}

export interface CommentResponse {
  action_id: string
  action_status: ActionStatus
  audit_root: string
  comments: Comment[]
}

export interface Issue {
  path: string
  code: string
  message: string
}

/** An error of the service (RFC 9457). */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  request_id: string
  errors?: Issue[] | undefined
}
