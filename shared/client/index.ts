export type { ApprovalCalls, Decided, DecisionOptions, Page, PageOptions } from './approvals.ts'
export type { Fetch, FetchResponse } from './attempt.ts'
export {
  Denied,
  Expired,
  Failed,
  GateError,
  type GateFailure,
  Interrupted,
  OutcomeUnknown,
  Refused,
  Rejected,
  Unreachable,
  Withdrawn,
} from './failures.ts'
export type { Waiting } from './follow.ts'
export {
  type ActionListOptions,
  type AnyOperations,
  actionGate,
  type Gate,
  type GateOptions,
  type ParametersOf,
  type RunOptions,
  type SubmitOptions,
} from './gate.ts'
export { type GatedOptions, gated } from './gated.ts'
export type { OperationRef, ProposalOptions } from './proposal.ts'
export type { Executed, Held } from './standing.ts'
export type {
  ActionOutcome,
  ActionStatus,
  ActionSummary,
  ActuatorResult,
  Approvals,
  Callback,
  Check,
  Comment,
  Decision,
  Evaluation,
  HeldAction,
  JsonObject,
  JsonValue,
  Principal,
  Problem,
  Proposal,
  RecordedVerdict,
  RiskLevel,
  Trace,
  TraceEvent,
  Verdict,
} from './wire.ts'
