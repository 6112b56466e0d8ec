import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type {
  FreezeEffect,
  FreezeRequest,
  FreezeSelector,
  FreezeState,
  PauseRequest,
} from '../../contract/configuration/freeze-schema.ts'
import { type Author, isOfTenant } from '../../contract/configuration/tenant.ts'
import { newName } from '../../runtime/ids.ts'
import {
  deleteFreezes,
  insertFreeze,
  readFreezes,
  type StoredFreeze,
} from '../../store/tenant/freeze-rows.ts'
import { tenantExists } from '../../store/tenant/tenant-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { afterClaims } from './claim-jobs.ts'

export interface FreezeChange<Request> {
  tenant_id: string
  request: Request
  author: Author
}

/**
 * Freezes the selected operations: proposals are denied, approvals refused and queued jobs not claimed
 * (extension).
 */
export async function freeze(context: Context, change: FreezeChange<FreezeRequest>): Promise<FreezeState> {
  return impose(context, change, 'freeze')
}

/** Lifts the freeze with exactly this selector; jobs queued meanwhile run again. */
export async function unfreeze(context: Context, change: FreezeChange<FreezeRequest>): Promise<FreezeState> {
  return lift(context, change, 'freeze')
}

/** Pauses the jobs of a tenant or of one actuator, while decisions and approvals go on (extension). */
export async function pause(context: Context, change: FreezeChange<PauseRequest>): Promise<FreezeState> {
  return impose(context, widened(change), 'pause')
}

export async function resume(context: Context, change: FreezeChange<PauseRequest>): Promise<FreezeState> {
  return lift(context, widened(change), 'pause')
}

export async function readFreezeState(context: Context, tenantId: string): Promise<FreezeState> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    return freezeState(await readFreezes(query, tenantId))
  })
}

/**
 * Imposes a freeze or pause once; a repetition keeps the first reason, but an operator's replaces an owner's. One
 * for the whole tenant is exempt from the limit. The answer waits until no matching job can be claimed.
 */
async function impose(
  context: Context,
  { tenant_id, request, author }: FreezeChange<FreezeRequest>,
  effect: FreezeEffect,
): Promise<FreezeState> {
  const state = await changeConfig(context, tenant_id, author, async query => {
    const before = await readFreezes(query, tenant_id)
    const same = before.filter(stored => stored.effect === effect && sameSelector(stored, request))
    const isTakenOver =
      same.length > 0 && !isOfTenant(author) && same.every(stored => isOfTenant(stored.author))
    if (same.length > 0 && !isTakenOver) return { answer: freezeState(before) }
    if (isTakenOver) await deleteFreezes(query, tenant_id, { ...request, effect })
    if (before.length >= limits.freezes_per_tenant_max && !isOfAll(request))
      throw new ServiceError(
        'too_many_freezes',
        `it has ${before.length}: lift one, or stop the whole tenant`,
      )
    await insertFreeze(query, { ...request, effect, tenant_id, freeze_id: newName('frz'), author })
    const answer = freezeState(await readFreezes(query, tenant_id))
    return {
      answer,
      entry: { kind: 'freeze', payload: { ...request, effect } },
      governs: effect === 'freeze',
    }
  })
  return afterClaims(context, tenant_id, state)
}

/**
 * Lifts a freeze or pause; an owner cannot lift an operator's, since the operator may stop a tenant against its
 * owner.
 */
async function lift(
  context: Context,
  { tenant_id, request, author }: FreezeChange<FreezeRequest>,
  effect: FreezeEffect,
): Promise<FreezeState> {
  const state = await changeConfig(context, tenant_id, author, async query => {
    const before = await readFreezes(query, tenant_id)
    const same = before.filter(stored => stored.effect === effect && sameSelector(stored, request))
    if (isOfTenant(author) && same.some(stored => !isOfTenant(stored.author)))
      throw new ServiceError('stopped_by_operator', `an operator's ${effect} has this selector`)
    const lifted = await deleteFreezes(query, tenant_id, { ...request, effect })
    if (lifted === 0) throw new ServiceError('freeze_not_found', `no ${effect} has exactly this selector`)
    const answer = freezeState(await readFreezes(query, tenant_id))
    const payload = { ...request, effect }
    return { answer, entry: { kind: 'unfreeze', payload }, governs: effect === 'freeze' }
  })
  context.doorbell.ring([{ id: newName('thaw'), delayMs: 0 }])
  return state
}

function widened({ request, ...change }: FreezeChange<PauseRequest>): FreezeChange<FreezeRequest> {
  return { ...change, request: { ...request, operation: null, key_id: null } }
}

function isOfAll({ system, operation, key_id }: FreezeSelector): boolean {
  return system === null && operation === null && key_id === null
}

function sameSelector(left: FreezeSelector, right: FreezeSelector): boolean {
  return left.system === right.system && left.operation === right.operation && left.key_id === right.key_id
}

function freezeState(stored: readonly StoredFreeze[]): FreezeState {
  return { freezes: stored.map(freezeView) }
}

export function freezeView({
  effect,
  system,
  operation,
  key_id,
  reason,
  author,
  created_at,
}: StoredFreeze): FreezeState['freezes'][number] {
  return { effect, system, operation, key_id, reason, author, created_at: created_at.toISOString() }
}
