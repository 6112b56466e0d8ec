import {
  type ApprovalCalls,
  approvalCalls,
  type Decided,
  decide,
  type Page,
  type PageOptions,
  readPage,
} from './approvals.ts'
import type { Fetch } from './attempt.ts'
import { follow, readTrace, type Waiting } from './follow.ts'
import { type OperationRef, type ProposalOptions, proposalOf } from './proposal.ts'
import { type Connection, send } from './send.ts'
import { type Executed, standingOfTrace, standingOfVerdict } from './standing.ts'
import type { ActionStatus, ActionSummary, Proposal, Trace, Verdict } from './wire.ts'

export interface GateOptions {
  url: string | URL
  /** An API key: an agent's key to propose, or an approver's key for `approvals`. */
  key: string
  /** The agent's name in its proposals. The name is only a claim, because the key identifies the agent. */
  agent?: string | undefined
  /** A replacement for `fetch`, such as one through a proxy. */
  fetch?: Fetch | undefined
  /** Milliseconds for which the client retries a request without an answer; 120,000 by default. */
  unreachableAfterMs?: number | undefined
}

/** The type of the parameters by `system.operation`. `npm run client:types` writes such types. */
export type AnyOperations = Record<string, object>
export type Catalogued<Operations> = { [Name in keyof Operations]: object }
export type RunOptions = ProposalOptions & Waiting
export type SubmitOptions = ProposalOptions & { signal?: AbortSignal | undefined }
export type ActionListOptions = PageOptions & { status?: ActionStatus | undefined }

type Name<Operations> = keyof Operations & string
type NameOf<Ref> = Ref extends {
  system: infer System extends string
  operation: infer Operation extends string
}
  ? `${System}.${Operation}`
  : Ref
/** The parameters of an operation; `never` if the operation has no type. */
export type ParametersOf<Operations, Ref> =
  NameOf<Ref> extends keyof Operations ? Operations[NameOf<Ref>] : never
export type Ref<Operations> = Name<Operations> | { system: string; operation: string }

export interface Gate<Operations extends Catalogued<Operations> = AnyOperations> {
  /** Proposes an operation, waits for its end and returns the result; throws a `GateFailure`. */
  run<const R extends Ref<Operations>>(
    operation: R,
    parameters: ParametersOf<Operations, R>,
    options?: RunOptions,
  ): Promise<Executed>
  /** Proposes an operation and returns the verdict without waiting. */
  submit<const R extends Ref<Operations>>(
    operation: R,
    parameters: ParametersOf<Operations, R>,
    options?: SubmitOptions,
  ): Promise<Verdict>
  /** Waits for the end of an action, such as after a crash. Returns or throws as `run` does. */
  settled(actionId: string, options?: Waiting): Promise<Executed>
  /** Withdraws a held action. The service allows this only to the key that proposed the action. */
  cancel(actionId: string, options?: { note?: string; signal?: AbortSignal }): Promise<Decided>
  /** Returns the audited trace of an action in its current state, without waiting. */
  read(actionId: string, options?: { signal?: AbortSignal }): Promise<Trace>
  /** Lists one page of the tenant's actions, newest first. */
  actions(options?: ActionListOptions): Promise<Page<ActionSummary>>
  readonly approvals: ApprovalCalls
}

/** Creates a client of the service at `url` for one key; throws a TypeError if the key is empty. */
export function actionGate<Operations extends Catalogued<Operations> = AnyOperations>(
  options: GateOptions,
): Gate<Operations> {
  const connection = connectionOf(options)
  const agent = options.agent ?? 'action-gate-client'
  const submit = (proposal: Proposal, waitSeconds: number, signal: AbortSignal | undefined) =>
    submitTo(connection, { proposal, waitSeconds }, signal)
  const propose = (operation: OperationRef, parameters: object, given: ProposalOptions) =>
    proposalOf(agent, operation, parameters, given)
  return {
    async run(operation, parameters, given = {}) {
      const verdict = await submit(propose(operation, parameters, given), submitWaitSeconds, given.signal)
      return follow(connection, standingOfVerdict(verdict), given)
    },
    submit: async (operation, parameters, given = {}) =>
      submit(propose(operation, parameters, given), 0, given.signal),
    async settled(actionId, given = {}) {
      const trace = await readTrace(connection, actionId, given.signal)
      return follow(connection, standingOfTrace(trace), given)
    },
    cancel: (actionId, given = {}) => decide(connection, { verb: 'cancel', actionId }, given),
    read: (actionId, { signal } = {}) => readTrace(connection, actionId, signal),
    actions: ({ status, ...page } = {}) => {
      const query = status === undefined ? {} : { status }
      return readPage<ActionSummary>(connection, { path: '/v1/actions', member: 'actions', query }, page)
    },
    approvals: approvalCalls(connection),
  }
}

/** Seconds for which the service may hold the first answer. Most actions end within this time and need no poll. */
const submitWaitSeconds = 10

async function submitTo(
  connection: Connection,
  { proposal, waitSeconds }: { proposal: Proposal; waitSeconds: number },
  signal: AbortSignal | undefined,
): Promise<Verdict> {
  const sending = {
    method: 'POST',
    path: '/v1/actions',
    headers: { 'content-type': 'application/json', prefer: `wait=${waitSeconds}` },
    body: JSON.stringify(proposal),
    expects: 'action_status',
    heldMs: waitSeconds * 1000,
  } as const
  const about = { actionId: null, proposalId: proposal.proposal_id }
  const { body } = await send(connection, sending, { about, signal })
  return body as unknown as Verdict
}

function connectionOf({ url, key, fetch, unreachableAfterMs = 120_000 }: GateOptions): Connection {
  if (typeof key !== 'string' || key === '') throw new TypeError('key is empty: pass an API key')
  const { href } = new URL(url)
  return {
    fetch: fetch ?? ((address, init) => globalThis.fetch(address, init)),
    url: href.replace(/[?#].*$/, '').replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
    keyId: key.split('.')[0] ?? '',
    unreachableAfterMs,
  }
}
