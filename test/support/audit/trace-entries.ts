import type { EntryToSeal } from '../../../shared/audit/event/seal.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { EventKind, Principal } from '../../../shared/contract/action/audit.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'

/** A proposal with text and numbers that have more than one spelling in JSON. */
export const proposal: JsonObject = {
  proposal_id: 'p-1',
  amount: 1e-7,
  summary: 'pay the caf\u00e9 \u{1f4b6}\u001f\n',
  parameters: { price: 12.5, lines: [1, 2.25, null, true] },
}

/** Who proposes, decides, executes and erases in these entries. */
export const people = {
  agent: { id: 'key_agent', kind: 'agent' },
  approver: { id: 'key_approver', kind: 'approver' },
  gate: { id: 'gate', kind: 'gate' },
  worker: { id: 'worker-1', kind: 'worker' },
  admin: { id: 'key_admin', kind: 'admin' },
  system: { id: 'sweeper', kind: 'system' },
} as const satisfies Record<string, Principal>

const proposalHash = documentHash('proposal', canonicalJson(proposal))

/** Entries as the service makes them; the salts are fixed, one of its own for each place in a trace. */
export const entry = {
  proposed: () => make('proposal_received', people.agent, proposal),
  verdict: (decision: string) => make('verdict', people.gate, { decision, proposal_hash: proposalHash }),
  approved: (by: Principal = people.approver) =>
    make('approval', by, { note: 'seen', proposal_hash: proposalHash }),
  rejected: () => make('rejection', people.approver, { note: 'no' }),
  expired: () => make('expiry', people.system, { reason: 'approval_expired' }),
  cancelled: () => make('cancellation', people.agent, {}),
  commented: () => make('comment', people.approver, { note: 'who pays?' }),
  changesRequested: () => make('change_request', people.approver, { note: 'at most 50' }),
  superseded: () => make('supersession', people.approver, { superseded_by: 'act_2' }),
  escalated: () => make('escalation', people.system, {}),
  attempted: (attempt: number, key = 'idem-1') =>
    make('execution_attempt', people.worker, { attempt, token: attempt, idempotency_key: key }),
  executed: (outcome: string) => make('execution', people.worker, { outcome, attempt: 1 }),
  reconciled: (outcome: string) =>
    make('reconciliation', people.worker, { source: 'lookup', outcome, attempt: 1 }),
  erased: () => make('erasure', people.admin, { reason: 'asked for' }),
}

/** Held, approved, and executed at the second attempt. */
export function heldAndExecuted(): EntryToSeal[] {
  const { proposed, verdict, approved, attempted, executed } = entry
  return inPlaces([
    proposed(),
    verdict('needs_approval'),
    approved(),
    attempted(1),
    executed('retry'),
    attempted(2),
    executed('ok'),
  ])
}

/** Gives each entry the salt of its place. */
export function inPlaces(entries: readonly EntryToSeal[]): EntryToSeal[] {
  return entries.map((one, place) => ({ ...one, salt: Buffer.alloc(32, place + 1) }))
}

function make(kind: EventKind, principal: Principal, payload: JsonObject): EntryToSeal {
  return { kind, principal, payload, salt: Buffer.alloc(32) }
}
