import { ServiceError } from '../contract/errors.ts'
import type { FreezeRequest, FreezeState } from '../contract/freeze.ts'
import type { Author } from '../contract/tenant.ts'
import { newName } from '../runtime/ids.ts'
import { deleteFreezes, insertFreeze, readFreezes, type StoredFreeze } from '../store/freezes.ts'
import { amendConfig } from './amend-config.ts'
import type { Context } from './context.ts'

export interface FreezeChange {
  tenant_id: string
  request: FreezeRequest
  author: Author
}

/** Freeze what the selector matches: proposals are denied, approvals refused, queued jobs not claimed (extension). */
export async function freeze(
  context: Context,
  { tenant_id, request, author }: FreezeChange,
): Promise<FreezeState> {
  return amendConfig(context, tenant_id, author, async query => {
    await insertFreeze(query, { ...request, tenant_id, freeze_id: newName('frz'), author })
    const answer = freezeState(await readFreezes(query, tenant_id))
    return { answer, entry: { kind: 'freeze', payload: { ...request } }, governs: true }
  })
}

/** Lift the freezes with exactly this selector; what was queued meanwhile runs again. */
export async function unfreeze(
  context: Context,
  { tenant_id, request, author }: FreezeChange,
): Promise<FreezeState> {
  const state = await amendConfig(context, tenant_id, author, async query => {
    const lifted = await deleteFreezes(query, tenant_id, request)
    if (lifted === 0) throw new ServiceError('freeze_not_found', 'nothing is frozen by exactly this selector')
    const answer = freezeState(await readFreezes(query, tenant_id))
    return { answer, entry: { kind: 'unfreeze', payload: { ...request } }, governs: true }
  })
  context.doorbell.ring([{ id: newName('thaw'), delayMs: 0 }])
  return state
}

function freezeState(stored: readonly StoredFreeze[]): FreezeState {
  return {
    freezes: stored.map(({ system, operation, key_id, reason, author, created_at }) => ({
      system,
      operation,
      key_id,
      reason,
      author,
      created_at: created_at.toISOString(),
    })),
  }
}
