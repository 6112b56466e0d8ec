import { proposalSchema, riskLevelSchema } from '../../shared/contract/action/proposal-schema.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../shared/contract/base/json.ts'
import { limits } from '../../shared/contract/base/limits.ts'
import { readShape } from '../../shared/contract/base/read-shape.ts'
import { inOneGo } from '../../shared/contract/base/slices.ts'
import { proposalOf, splitArguments, type ToolCall } from '../../shared/mcp/tool-proposal.ts'
import { metaNames, type ToolOperation } from '../../shared/mcp/tools.ts'

/** What a request says about its call, beside the arguments. */
export interface CallMeta {
  /** `_meta` as it came. */
  given: Readonly<Record<string, unknown>>
  /** The name of the client, where its protocol says it with each request. */
  client: unknown
  /** The name of the key: of a client that does not say its own. */
  key: string
}

/** Read a call, or refuse it as the proposal that it would be (`validation_failed`): nothing is recorded then. */
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
