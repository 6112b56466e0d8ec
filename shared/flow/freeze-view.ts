import type { FreezeState } from '../contract/freeze.ts'
import type { StoredFreeze } from '../store/freezes.ts'

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
