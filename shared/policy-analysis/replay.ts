import { parseStrictJson } from '../canon/strict-json.ts'
import { type Proposal, proposalSchema } from '../contract/action/proposal.ts'
import type { Evaluation } from '../contract/action/verdict.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { BoundHit } from '../contract/configuration/verification.ts'
import type { OperationRules } from './operation-rules.ts'
import type { StepBudget } from './step-budget.ts'

/** A proposal and what the gate says of it, or the bound that no such proposal stays within. */
export type Replayed = { ok: true; proposal: Proposal; evaluation: Evaluation } | { ok: false; hit: BoundHit }

export interface Stage {
  meter: StepBudget
  /** Bytes of a request body. */
  bodyLimit: number
}

/** Sends a proposal the way of a request: as bytes, through the strict reader, the schema and the gate. */
export function replay(proposal: Proposal, rules: OperationRules, { meter, bodyLimit }: Stage): Replayed {
  meter.replay()
  const { system, operation } = rules.target
  const tooLarge = {
    ok: false,
    hit: { bound: 'body', limit: bodyLimit, at: `${system}/${operation}` },
  } as const
  const bytes = new TextEncoder().encode(JSON.stringify(proposal))
  if (bytes.length > bodyLimit) return tooLarge
  const read = parseStrictJson(bytes)
  const parsed = proposalSchema.safeParse(read.ok ? read.value : null)
  if (!parsed.success) return tooLarge
  return { ok: true, proposal: parsed.data, evaluation: rules.evaluate(parsed.data) }
}

/** The same proposal with other parameters. */
export function withParameters(proposal: Proposal, parameters: JsonObject): Proposal {
  return { ...proposal, action: { ...proposal.action, parameters } }
}
