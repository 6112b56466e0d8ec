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

/** Freeze what the selector matches: proposals are denied, approvals refused, queued jobs not claimed (extension). */
export async function freeze(context: Context, change: FreezeChange<FreezeRequest>): Promise<FreezeState> {
  return impose(context, change, 'freeze')
}

/** Lift the freeze with exactly this selector; what was queued meanwhile runs again. */
export async function unfreeze(context: Context, change: FreezeChange<FreezeRequest>): Promise<FreezeState> {
  return lift(context, change, 'freeze')
}

/** Let the jobs of a tenant, or of one of its actuators, wait; decisions and approvals go on (extension). */
export async function pause(context: Context, change: FreezeChange<PauseRequest>): Promise<FreezeState> {
  return impose(context, widened(change), 'pause')
}

/** Let the jobs run again. */
export async function resume(context: Context, change: FreezeChange<PauseRequest>): Promise<FreezeState> {
  return lift(context, widened(change), 'pause')
}

/** What is frozen or paused in a tenant now. */
export async function readFreezeState(context: Context, tenantId: string): Promise<FreezeState> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    return freezeState(await readFreezes(query, tenantId))
  })
}

/**
 * The same twice is once, with the first reason, but an operator's takes the place of an owner's. What is about the whole
 * tenant has room however many there are. The answer comes once no job that it matches can be claimed any more.
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

/** Whoever runs the service stops an application against its owner too: what an operator stopped, no owner lifts. */
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

/** A stored freeze as it is told. */
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
