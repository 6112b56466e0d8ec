import type { Evaluation } from '../../contract/action/verdict.ts'
import { type CompiledGrant, grantsFor, registrationHash, underGrant } from '../../gate/bounded-grants.ts'
import { createBatcher } from '../../runtime/batcher.ts'
import { isLost } from '../../runtime/outage.ts'
import { insertAction, type Opened } from '../../store/action/ledger.ts'
import { type HeldGrant, holdGrants, insertUse } from '../../store/tenant/grant-rows.ts'
import { areKeysBeside, type Context, perContext } from '../core/context.ts'
import { type Grounds, type Opening, type ProposedBy, sealOpening } from './seal-opening.ts'

interface Decided {
  grounds: Grounds
  evaluation: Evaluation
}

interface OpenedAction {
  opening: Opening
  opened: Opened
}

/**
 * Opens an action that would be held as the next use of a grant, or returns null if no grant has a use left. It
 * locks the grant first, so that the number of the use in the audit trail is the stored one; an action that is not
 * created uses nothing.
 */
export async function openUnderGrant(
  context: Context,
  proposed: ProposedBy,
  { grounds, evaluation }: Decided,
): Promise<OpenedAction | null> {
  const { target_system: system, operation, parameters } = proposed.proposal.action
  const registered = grounds.rules.compiled.actuator(system)
  const subject = {
    ...{ system, operation, key_id: proposed.principal.key_id, parameters, now: grounds.now },
    registration: () => registered && registrationHash(registered, operation),
  }
  const candidates = grantsFor(evaluation, grounds.rules.grants, subject).filter(grant => !spent.has(grant))
  if (candidates.length === 0) return null
  await context.reach('submit_decided')
  return inTurn(context)(() => useGrant(context, proposed, { grounds, evaluation, candidates }))
}

/**
 * The grants that were seen used up, ended or revoked; none of the three is ever reversed, so an entry needs no
 * expiry.
 */
const spent = new WeakSet<CompiledGrant>()

/**
 * At most two uses of grants are written at once in a process; further ones wait in its memory, so that waiting
 * for a row lock takes at most two connections.
 */
const inTurn = perContext(() =>
  createBatcher({
    size_max: 1,
    groups_max: 2,
    isOfAll: isLost,
    run: (uses: (() => Promise<OpenedAction | null>)[]) => Promise.all(uses.map(use => use())),
  }),
)

function useGrant(
  context: Context,
  proposed: ProposedBy,
  { grounds, evaluation, candidates }: Decided & { candidates: readonly CompiledGrant[] },
): Promise<OpenedAction | null> {
  const { tenant_id } = proposed.principal
  return context.store.write([tenant_id], async writer => {
    const ids = candidates.map(({ clause }) => clause.grant_id)
    const next = nextUse(candidates, await holdGrants(writer, tenant_id, ids))
    if (!next) return null
    const { grant, use, now } = next
    const allowed = underGrant(evaluation, grant, use)
    const opening = sealOpening(context, proposed, { ...grounds, now }, allowed)
    const opened = await insertAction(writer, opening, areKeysBeside(context))
    context.databaseClock.heard(opened.now)
    const { grant_id } = grant.clause
    if (opened.outcome === 'made')
      await insertUse(writer, { tenant_id, grant_id, use, action_id: opening.action_id })
    return { opening, opened }
  })
}

interface NextUse {
  grant: CompiledGrant
  use: number
  now: string
}

function nextUse(candidates: readonly CompiledGrant[], held: readonly HeldGrant[]): NextUse | null {
  for (const grant of candidates) {
    const { clause } = grant
    const row = held.find(({ grant_id }) => grant_id === clause.grant_id)
    const isLeft =
      row && !row.revoked && row.uses < clause.uses_max && Date.parse(row.now) < Date.parse(clause.ends_at)
    if (isLeft) return { grant, use: row.uses + 1, now: row.now }
    spent.add(grant)
  }
  return null
}
