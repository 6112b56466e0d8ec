import {
  type BatchedDecision,
  type BatchedResult,
  type BatchRefusal,
  batchRefusals,
  type DecisionBatch,
  type DecisionResults,
} from '../../contract/action/decision-schema.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { isOutage } from '../../runtime/outage.ts'
import type { Context } from '../core/context.ts'
import { type ApprovalDecider, type RequestSpan, recordDecision, TooLateError } from './decide-approval.ts'

export interface BatchRequest {
  decider: ApprovalDecider
  batch: DecisionBatch
  span: RequestSpan
}

/**
 * Decides several held actions (specification.md#endpoints), each by the flow of a single decision, so that one
 * refusal leaves the others alone. An ended credential or an unreachable database refuses the whole batch if
 * nothing of it was recorded.
 */
export async function decideBatch(
  context: Context,
  { decider, batch, span }: BatchRequest,
): Promise<DecisionResults> {
  const decideOne = ({ action_id, decision: kind, note = batch.note, ...seen }: BatchedDecision) =>
    recordDecision(
      context,
      { decider, action_id, span, request: { ...seenBy(seen), ...(note === undefined ? {} : { note }) } },
      { kind, seen },
    )
  const outcomes = await Promise.allSettled(batch.decisions.map(decideOne))
  const results = outcomes.map((outcome, at): BatchedResult => {
    const action_id = batch.decisions[at]?.action_id ?? ''
    return outcome.status === 'fulfilled'
      ? { action_id, applied: true, action_status: outcome.value.status }
      : { action_id, applied: false, ...refusalOf(outcome.reason) }
  })
  const applied = results.filter(result => result.applied).length
  const failed = outcomes.find(outcome => outcome.status === 'rejected' && isOfAll(outcome.reason))
  if (applied === 0 && failed?.status === 'rejected') throw failed.reason
  return { applied, results }
}

function seenBy({ proposal_hash, request_hash }: Pick<BatchedDecision, 'proposal_hash' | 'request_hash'>) {
  return { proposal_hash, ...(request_hash === null ? {} : { request_hash }) }
}

/** Returns the refusal of one decision; rethrows an error that no caller may see, which ends the request. */
function refusalOf(reason: unknown): Omit<BatchedResult, 'action_id' | 'applied'> {
  if (reason instanceof TooLateError) {
    const { status, approval, message: detail } = reason
    return {
      code: 'action_not_approvable',
      detail,
      ...(status === null ? {} : { action_status: status }),
      ...(approval === null ? {} : { decided: approval }),
    }
  }
  if (reason instanceof ServiceError && isRefusal(reason.code))
    return { code: reason.code, detail: reason.message }
  if (isOutage(reason))
    return { code: 'storage_unavailable', detail: 'not known to be recorded: send the same batch again' }
  throw reason
}

function isRefusal(code: string): code is BatchRefusal {
  return (batchRefusals as readonly string[]).includes(code)
}

/** True if the error concerns the decider or the service, since every later decision would then fail too. */
function isOfAll(reason: unknown): boolean {
  return reason instanceof ServiceError ? ofAll.has(reason.code) : true
}

const ofAll: ReadonlySet<string> = new Set(['key_revoked', 'session_required', 'storage_unavailable'])
