import type { ActionOutcome, Evaluation, Problem } from './wire.ts'

export interface FailureFacts {
  /** A stable code on which programs may depend. */
  code: string
  message: string
  /** The action, or null if the service did not name it. */
  actionId: string | null
  proposalId: string | null
  verdict?: Evaluation | null
  outcome?: ActionOutcome | null
  cause?: unknown
}

/** A failure that `run`, `settled` and the other calls throw. `GateFailure` lists all its subclasses. */
export abstract class GateError extends Error {
  abstract override readonly name: string
  readonly code: string
  readonly actionId: string | null
  readonly proposalId: string | null
  readonly verdict: Evaluation | null
  readonly outcome: ActionOutcome | null
  readonly next: string

  constructor(facts: FailureFacts, next: string) {
    const cause = facts.cause === undefined ? {} : { cause: facts.cause }
    super(`${told(facts)}. ${next}`, cause)
    this.code = facts.code
    this.actionId = facts.actionId
    this.proposalId = facts.proposalId
    this.verdict = facts.verdict ?? null
    this.outcome = facts.outcome ?? null
    this.next = next
  }
}

export class Denied extends GateError {
  override readonly name = 'Denied'
  /** Every reason as `code: message`. */
  readonly reasons: readonly string[]
  /** True if only the form of the parameters was wrong, so that a corrected proposal may be accepted. */
  readonly mendable: boolean

  constructor(facts: FailureFacts) {
    super(facts, facts.outcome?.next ?? 'Stop and show the reasons; do not try another way.')
    this.reasons = facts.verdict?.blocking_reasons ?? []
    this.mendable = facts.outcome?.mendable ?? false
  }
}

/** A person rejected the action. */
export class Rejected extends GateError {
  override readonly name = 'Rejected'

  constructor(facts: FailureFacts) {
    super(facts, 'Stop: a person decided against it, so do not propose the same again.')
  }
}

/** Nobody decided in time, so the action did not run. */
export class Expired extends GateError {
  override readonly name = 'Expired'

  constructor(facts: FailureFacts) {
    super(facts, 'Nothing happened; propose it again under a new proposal id if it is still wanted.')
  }
}

/** The key that proposed the action withdrew it. */
export class Withdrawn extends GateError {
  override readonly name = 'Withdrawn'

  constructor(facts: FailureFacts) {
    super(facts, 'Nothing happened; propose it again under a new proposal id if it is wanted after all.')
  }
}

/** The service attempted the action, and there is proof that no attempt had an effect. */
export class Failed extends GateError {
  override readonly name = 'Failed'
  /** True if the same action may succeed under a new proposal id. */
  readonly tryAgain: boolean

  constructor(facts: FailureFacts) {
    const tryAgain = facts.outcome?.try_again ?? false
    super(
      facts,
      tryAgain
        ? 'Nothing happened; you may propose the same again under a new proposal id.'
        : 'Nothing happened, and the same again would fail again; change it first.',
    )
    this.tryAgain = tryAgain
  }
}

/** The outcome is unknown, so the action may have had its effect. */
export class OutcomeUnknown extends GateError {
  override readonly name = 'OutcomeUnknown'

  constructor(facts: FailureFacts) {
    super(
      facts,
      'Stop all automation: it may have happened, and settled(actionId) tells once somebody found out.',
    )
  }
}

export interface Refusal {
  status: number
  problem: Problem | null
  repeated: boolean
}

/** The service refused the request. The refusal does not change the action. */
export class Refused extends GateError {
  override readonly name = 'Refused'
  readonly status: number
  /** The problem document of the service; null if another server answered. */
  readonly problem: Problem | null
  /** True if an earlier try had no answer. That try may have succeeded. */
  readonly repeated: boolean

  constructor(facts: FailureFacts, { status, problem, repeated }: Refusal) {
    super(facts, afterRefusal(facts.code, status))
    this.status = status
    this.problem = problem
    this.repeated = repeated
  }
}

/** The service gave no usable answer within `unreachableAfterMs`. */
export class Unreachable extends GateError {
  override readonly name = 'Unreachable'

  constructor(facts: FailureFacts) {
    super(facts, goesOn(facts))
  }
}

/** The caller's signal ended the wait. The action itself continues. */
export class Interrupted extends GateError {
  override readonly name = 'Interrupted'

  constructor(facts: FailureFacts) {
    super(facts, goesOn(facts))
  }
}

/** All failures as a union, for a `switch` over `name`. */
export type GateFailure =
  | Denied
  | Rejected
  | Expired
  | Withdrawn
  | Failed
  | OutcomeUnknown
  | Refused
  | Unreachable
  | Interrupted

function told({ code, message }: FailureFacts): string {
  return message.startsWith(`${code}:`) ? message : `${code}: ${message}`
}

function goesOn({ actionId, proposalId }: FailureFacts): string {
  if (actionId !== null)
    return `The action was not cancelled and goes on; settled('${actionId}') waits for its end.`
  if (proposalId !== null)
    return `It may have been accepted; the same call with proposalId '${proposalId}' cannot act twice.`
  return 'Try again later.'
}

const byCode: Readonly<Record<string, string>> = {
  proposal_conflict: 'Use a new proposal id for new content, or send the first content again.',
  too_many_comments: 'Decide it, or let its agent withdraw it and propose again.',
  too_many_held: 'Let somebody decide or withdraw what waits, then propose again.',
  action_not_approvable: 'It is not held any more; settled(actionId) tells how it ended.',
  not_the_proposer: 'Withdraw with the key that proposed it, or let an approver reject it.',
  action_erased: 'Its content was erased; the audit export still proves what happened.',
  frozen: 'Wait until an operator lifts the freeze.',
  redirected: 'Set url to the address that the service has.',
}

function afterRefusal(code: string, status: number): string {
  const known = byCode[code]
  if (known !== undefined) return known
  if (status === 401 || status === 403) return 'Check the key and its scope; repeating does not help.'
  if (status === 404) return 'Check the url and the id; repeating does not help.'
  return 'Mend the request as the problem says; repeating does not help.'
}
