import { canonicalJson } from '../canon/canonical-json.ts'
import { hex, sha256 } from '../canon/digest.ts'
import { type Proposal, type RiskLevel, riskRank } from '../contract/action/proposal-schema.ts'
import type { JsonObject } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import { proposalIdArgument, type ToolOperation } from './tools.ts'

export interface ToolCall {
  operation: ToolOperation
  parameters: JsonObject
  proposal_id: string | null
  /** The risk that the client claims. It can only raise the risk. */
  risk: RiskLevel | null
  agent_id: string
  run_id: string | null
}

/**
 * Takes the argument for repeated calls out of the parameters, unless a parameter of the operation has its
 * name.
 */
export function splitArguments(
  operation: ToolOperation,
  given: JsonObject,
): { parameters: JsonObject; proposal_id: unknown } {
  if (isParameter(operation)) return { parameters: given, proposal_id: undefined }
  const { [proposalIdArgument]: proposal_id, ...parameters } = given
  return { parameters, proposal_id }
}

function isParameter({ entry }: ToolOperation): boolean {
  const { properties } = entry?.parameter_schema ?? {}
  return (
    typeof properties === 'object' && properties !== null && Object.hasOwn(properties, proposalIdArgument)
  )
}

/** Builds the proposal of a call. The service writes the summary, and the risk is at least the catalog's. */
export function proposalOf(call: ToolCall, proposalId: string): Proposal {
  const { operation, parameters, agent_id, run_id } = call
  return {
    proposal_id: proposalId,
    actor: { agent_id, ...(run_id === null ? {} : { run_id }) },
    summary: summaryOf(call),
    action: { target_system: operation.system, operation: operation.operation, parameters },
    risk: { level: riskOf(call) },
  }
}

function riskOf({ operation, risk }: ToolCall): RiskLevel {
  const lowest = operation.entry?.minimum_risk ?? 'low'
  return risk !== null && riskRank[risk] > riskRank[lowest] ? risk : lowest
}

const summaryLength = 400

function summaryOf({ operation, parameters }: ToolCall): string {
  const { entry, system, operation: name } = operation
  const what = entry?.title ?? `${name} on ${system}`
  const text = `${what}: ${JSON.stringify(parameters)}`
  const characters = [...text]
  const most = Math.min(summaryLength, limits.summary_length_max)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

export function asksTheSame({ action }: Proposal, { operation, parameters }: ToolCall): boolean {
  return (
    action.target_system === operation.system &&
    action.operation === operation.operation &&
    canonicalJson(action.parameters) === canonicalJson(parameters)
  )
}

/** Returns a function that gives ids to calls without an id. Equal calls of one key differ only in their count. */
export function seriesOf(keyId: string, call: ToolCall): (count: number) => string {
  const { operation, parameters } = call
  const content = canonicalJson([keyId, operation.system, operation.operation, parameters])
  const digest = hex(sha256(content)).slice(0, 40)
  return count => `mcp-${digest}-${count}`
}

/**
 * Returns true for an id that `seriesOf` could make. Clients may not send these ids, because a call without
 * an id could overlook the client's action and act again.
 */
export function isOfSeries(proposalId: string): boolean {
  return /^mcp-[0-9a-f]{40}-\d+$/.test(proposalId)
}
