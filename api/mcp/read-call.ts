import { proposalSchema, riskLevelSchema } from '../../shared/contract/action/proposal-schema.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../shared/contract/base/json.ts'
import { limits } from '../../shared/contract/base/limits.ts'
import { readShape } from '../../shared/contract/base/read-shape.ts'
import { inOneGo } from '../../shared/contract/base/slices.ts'
import { proposalOf, splitArguments, type ToolCall } from '../../shared/mcp/tool-proposal.ts'
import { metaNames, type ToolOperation } from '../../shared/mcp/tools.ts'

export interface CallMeta {
  given: Readonly<Record<string, unknown>>
  /** The client's name, if its protocol sends it with each request. */
  client: unknown
  /** The name of the API key, used if the client sends no name. */
  key: string
}

/**
 * Reads a call. Rejects with `validation_failed` if its proposal would be invalid, so that no invalid call is
 * recorded.
 */
export function readCall(operation: ToolOperation, given: JsonObject, meta: CallMeta): ToolCall {
  const { parameters, proposal_id } = splitArguments(operation, given)
  const id = meta.given[metaNames.proposalId] ?? proposal_id ?? null
  const call = {
    operation,
    parameters,
    proposal_id: id as string | null,
    risk: riskOf(meta.given[metaNames.risk]),
    agent_id: named(meta.given[metaNames.agentId]) ?? named(meta.client) ?? meta.key,
    run_id: named(meta.given[metaNames.runId]),
  }
  const read = inOneGo(readShape(proposalSchema, proposalOf(call, call.proposal_id ?? 'mcp')))
  if (read.ok) return call
  const message = read.issues.map(issue => `${issue.path}: ${issue.message}`).slice(0, 3)
  throw new ServiceError('validation_failed', message.join('; '), read.issues)
}

function riskOf(given: unknown): ToolCall['risk'] {
  if (given === undefined) return null
  const read = riskLevelSchema.safeParse(given)
  if (read.success) return read.data
  throw new ServiceError('validation_failed', `_meta["${metaNames.risk}"] must be low, medium or high`)
}

function named(given: unknown): string | null {
  return typeof given === 'string' && given !== '' ? given.slice(0, limits.identifier_length_max) : null
}
