import { prefixedHex } from '../../canon/digest.ts'
import type {
  ErasureRequest,
  ErasureResponse,
  ResolutionRequest,
  ResolutionResponse,
} from '../../contract/action/action.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { erase } from '../../lifecycle/decide.ts'
import { eraseNames, hourOf } from '../../lifecycle/hour-numbers.ts'
import { resolve } from '../../lifecycle/reconciliation.ts'
import { readAction, type StoredAction } from '../../store/action/actions.ts'
import { appendChanges } from '../../store/action/ledger.ts'
import { keepHours, lockMark, readCountedVerdict, readHours } from '../../store/action/number-rows.ts'
import type { Writer } from '../../store/postgres/open.ts'
import {
  type ActionChange,
  announce,
  type ChangeOutcome,
  changeActions,
  judgeChanges,
} from '../core/change-action.ts'
import { identityOf, principalOf } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'

/**
 * Records an operator's finding for an action with an unknown outcome (specification.md#endpoints). Throws
 * `action_not_resolvable` if the outcome is known, and `conflicting_evidence` if a late result contradicts it.
 */
export async function resolveAction(
  context: Context,
  about: { tenant_id: string; action_id: string; request: ResolutionRequest; operator: Author },
): Promise<ResolutionResponse> {
  const { tenant_id, action_id, request, operator } = about
  const { outcome, note, evidence = null, detail = {} } = request
  const resolution = { outcome, note, evidence, detail, ...identityOf(operator) }
  const decide = resolve(principalOf(operator), resolution)
  const [resolved] = await changeActions(context, [{ action_id, tenant_id, decide }])
  if (resolved?.ok) {
    const { change, root } = resolved.value
    return { action_id, action_status: change.to, audit_root: prefixedHex(root) }
  }
  const reason = resolved?.error.reason ?? 'not_found'
  if (reason === 'not_found') throw new ServiceError('action_not_found', `no action ${action_id}`)
  if (reason === 'contradicted') {
    throw new ServiceError(
      'conflicting_evidence',
      'a result that came late says that the action was executed',
    )
  }
  throw new ServiceError('action_not_resolvable', 'the outcome of the action is not unknown')
}

/**
 * Erases the content of an action: payloads and salts are deleted in the transaction that appends an `erasure`
 * event, while events, roots and proofs remain (specification.md#audit-bytes, specification.md#audit-in-postgres).
 * Throws `action_not_erasable` if the action has not ended, since its content is still needed for execution or
 * inquiry, or if it was erased before.
 */
export async function eraseAction(
  context: Context,
  about: { tenant_id: string; action_id: string; request: ErasureRequest; admin: Author },
): Promise<ErasureResponse> {
  const { tenant_id, action_id, request, admin } = about
  const stored = await readAction(context.store.readEach([tenant_id]), tenant_id, action_id)
  if (!stored) throw new ServiceError('action_not_found', `no action ${action_id}`)
  if (wasErased(stored)) throw new ServiceError('action_not_erasable', 'the content was erased before')
  const decide = erase(principalOf(admin), { reason: request.reason, ...identityOf(admin) })
  const { event_count } = stored
  const erased = await eraseWithNames(context, { action_id, tenant_id, event_count, decide })
  if (erased && !erased.ok && erased.error.reason === 'changed') return eraseAction(context, about)
  if (!erased?.ok) throw new ServiceError('action_not_erasable', `the action is ${stored.status}`)
  const { change, root } = erased.value
  return { action_id, action_status: change.to, audit_root: prefixedHex(root) }
}

/** Deletes the action's names from the hourly counts in the same transaction. */
async function eraseWithNames(
  context: Context,
  change: ActionChange & { tenant_id: string },
): Promise<ChangeOutcome | undefined> {
  const { action_id, tenant_id } = change
  const erased = await context.store.write([tenant_id], async writer => {
    const outcome = (await judgeChanges(context, writer, [change])).get(action_id)
    if (!outcome?.ok) return outcome
    await eraseCountedNames(writer, tenant_id, action_id)
    await appendChanges(writer, [outcome.value])
    return outcome
  })
  if (erased) announce(context, [erased])
  return erased
}

/** Returns early for an action that is not counted yet, since erased content is later counted without names. */
async function eraseCountedNames(writer: Writer, tenantId: string, actionId: string): Promise<void> {
  const counted = await lockMark(writer, tenantId)
  const verdict = await readCountedVerdict(writer, { tenantId, actionId, counted })
  const hour = verdict && hourOf(verdict.at)
  if (!hour) return
  const kept = await readHours(writer, tenantId, [hour])
  const hours = new Map(kept.map(({ numbers }) => [hour, eraseNames(numbers, verdict)]))
  await keepHours(writer, tenantId, { hours, counted })
}

function wasErased({ events: [first] }: StoredAction): boolean {
  return first?.payload === null
}
