import type { FreezeState } from '../../contract/configuration/freeze.ts'
import type { StoredFreeze } from '../../store/tenant/freezes.ts'

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
