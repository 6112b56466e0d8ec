import { newProposalId } from './platform.ts'
import type { Callback, JsonObject, Proposal, RiskLevel } from './wire.ts'

/** An operation: `system.operation` split at the first dot, or the two apart where a system has a dot in its name. */
export type OperationRef = string | { system: string; operation: string }

/** What a caller may say of a proposal beside its parameters. */
export interface ProposalOptions {
  /** One per logical action; without it each call draws one. Your own survives a crash of your program. */
  proposalId?: string | undefined
  /** What is asked, for a person; without it the operation and its parameters. */
  summary?: string | undefined
  /** A claim, `low` unless it is said; a catalog may raise it. */
  risk?: RiskLevel | undefined
  blastRadius?: string | undefined
  rollbackPlan?: string | undefined
  /** A claim of who acts, beside the agent of `actionGate`. */
  runId?: string | undefined
  /** Who is told once when the action settles, such as a workflow that sleeps meanwhile. */
  callback?: Callback | undefined
}

const summaryLengthMax = 2_000

/** The proposal, with what the caller left out. */
export function proposalOf(
  agentId: string,
  ref: OperationRef,
  parameters: object,
  options: ProposalOptions,
): Proposal {
  const { system, operation } = partsOf(ref)
  const { proposalId, summary, risk, blastRadius, rollbackPlan, runId, callback } = options
  return {
    proposal_id: proposalId ?? newProposalId(),
    actor: { agent_id: agentId, ...(runId === undefined ? {} : { run_id: runId }) },
    summary: summary ?? summaryOf(system, operation, parameters),
    action: {
      target_system: system,
      operation,
      parameters: parameters as JsonObject,
      ...(rollbackPlan === undefined ? {} : { rollback_plan: rollbackPlan }),
    },
    risk: { level: risk ?? 'low', ...(blastRadius === undefined ? {} : { blast_radius: blastRadius }) },
    ...(callback === undefined ? {} : { callback }),
  }
}

export function partsOf(ref: OperationRef): { system: string; operation: string } {
  if (typeof ref !== 'string') return ref
  const dot = ref.indexOf('.')
  if (dot < 1 || dot === ref.length - 1)
    throw new TypeError(`an operation is written system.operation, and "${ref}" is not`)
  return { system: ref.slice(0, dot), operation: ref.slice(dot + 1) }
}

/** Cut by code points, as the service counts. */
function summaryOf(system: string, operation: string, parameters: object): string {
  const text = [...`${system}.${operation} ${JSON.stringify(parameters)}`]
  return text.length <= summaryLengthMax ? text.join('') : `${text.slice(0, summaryLengthMax - 1).join('')}…`
}
