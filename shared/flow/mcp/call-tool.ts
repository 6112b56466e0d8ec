import type { ToolResult } from '../../contract/action/tool-result-schema.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { isSettled } from '../../lifecycle/status.ts'
import { readTrace } from '../../lifecycle/trace.ts'
import { asksTheSame, proposalOf, seriesOf, type ToolCall } from '../../mcp/tool-proposal.ts'
import { resultOfTrace, resultOfVerdict } from '../../mcp/tool-result.ts'
import { knownProposals, readActionByProposal, type StoredAction } from '../../store/action/actions.ts'
import { submitProposal } from '../action/submit-proposal.ts'
import type { Context } from '../core/context.ts'
import { type Caller, opened, readToolAction } from './tool-actions.ts'

/**
 * Proposes the call of a tool and waits up to `wait_ms` for a quick outcome (integrate.md#repeated-calls). A call
 * with an id never acts twice; a call without one joins the action of its key with the same content that is open
 * or has an unknown outcome.
 */
export async function callTool(
  context: Context,
  caller: Caller,
  call: ToolCall,
  wait_ms: number,
): Promise<ToolResult> {
  if (call.proposal_id !== null) return propose(context, caller, { call, wait_ms, id: call.proposal_id })
  const idOf = seriesOf(caller.principal.key_id, call)
  const last = await lastOfSeries(context, caller, idOf)
  const open = last < 0 ? null : await openAction(context, caller, { call, id: idOf(last) })
  if (open) return resultOfTrace(await readToolAction(context, caller, open.action_id))
  return propose(context, caller, { call, wait_ms, id: idOf(last + 1) })
}

interface Named {
  call: ToolCall
  id: string
}

async function propose(
  context: Context,
  caller: Caller,
  { call, id, wait_ms }: Named & { wait_ms: number },
): Promise<ToolResult> {
  const proposal = proposalOf(call, id)
  try {
    const submission = { ...caller, proposal, wait_ms, inSeries: call.proposal_id === null }
    return resultOfVerdict(opened(context, await submitProposal(context, submission)))
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'proposal_conflict')) throw error
    const same = await sameAction(context, caller, { call, id })
    if (!same) throw error
    return resultOfTrace(await readToolAction(context, caller, same.action_id))
  }
}

async function openAction(context: Context, caller: Caller, named: Named): Promise<StoredAction | null> {
  const same = await sameAction(context, caller, named)
  // An action with an unknown outcome is joined too, because a new one might act twice.
  return same && (!isSettled(same.status) || same.status === 'outcome_unknown') ? same : null
}

async function sameAction(
  context: Context,
  { principal: { tenant_id, key_id } }: Caller,
  { call, id }: Named,
): Promise<StoredAction | null> {
  const stored = await readActionByProposal(context.store.readEach([tenant_id]), tenant_id, id)
  if (!stored) return null
  const { proposal, verdict } = readTrace(stored.events)
  return proposal && verdict?.principal.key_id === key_id && asksTheSame(proposal, call) ? stored : null
}

const countMax = 2 ** 30
const pointsMax = 16

/** Returns the highest used count of a series, or -1; it searches by doubling and then between two counts. */
async function lastOfSeries(
  context: Context,
  { principal: { tenant_id } }: Caller,
  idOf: (count: number) => string,
): Promise<number> {
  const highestOf = async (counts: readonly number[]): Promise<number> => {
    const reader = context.store.readEach([tenant_id])
    const known = await knownProposals(reader, tenant_id, counts.map(idOf))
    return counts.findLastIndex(count => known.has(idOf(count)))
  }
  let low = -1
  let high = countMax
  for (let counts = doubled(); counts.length > 0; counts = between(low, high)) {
    const highest = await highestOf(counts)
    high = counts[highest + 1] ?? high
    low = counts[highest] ?? low
  }
  return low
}

/** Returns 0, 1, 3, 7 and so on. */
function doubled(): number[] {
  return Array.from({ length: pointsMax }, (_, power) => 2 ** power - 1)
}

function between(low: number, high: number): number[] {
  const step = Math.ceil((high - low) / (pointsMax + 1))
  return Array.from({ length: pointsMax }, (_, at) => low + step * (at + 1)).filter(count => count < high)
}
