import { newProposalId } from './platform.ts'
import type { Callback, JsonObject, Proposal, RiskLevel } from './wire.ts'

/**
 * An operation as `system.operation`, split at the first dot. If the system's name has a dot, use two members
 * instead.
 */
export type OperationRef = string | { system: string; operation: string }

export interface ProposalOptions {
  /**
   * The id of one logical action; by default each call creates one. A fixed id prevents a second action after a
   * crash.
   */
  proposalId?: string | undefined
  /** The request in words for a person; by default the operation and its parameters. */
  summary?: string | undefined
  /** The claimed risk, `low` by default. The tenant's catalog may raise it. */
  risk?: RiskLevel | undefined
  blastRadius?: string | undefined
  rollbackPlan?: string | undefined
  runId?: string | undefined
  /** The address that gets one message when the action settles, such as the address of a waiting workflow. */
  callback?: Callback | undefined
}

const summaryLengthMax = 2_000

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

/** Cuts the text by code points, because the service's limits count code points. */
function summaryOf(system: string, operation: string, parameters: object): string {
  const text = [...`${system}.${operation} ${JSON.stringify(parameters)}`]
  return text.length <= summaryLengthMax ? text.join('') : `${text.slice(0, summaryLengthMax - 1).join('')}…`
}
