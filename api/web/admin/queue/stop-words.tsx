import type { FreezeEffect, FreezeSelector } from '../../../../shared/contract/configuration/freeze-schema.ts'
import { PauseCircle, Snowflake } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'

export function StopBadge({ effect }: { effect: FreezeEffect }) {
  return effect === 'freeze' ? (
    <Badge tone="info">
      <Snowflake className="size-3.5" aria-hidden /> Frozen
    </Badge>
  ) : (
    <Badge tone="warn">
      <PauseCircle className="size-3.5" aria-hidden /> Paused
    </Badge>
  )
}

/** Returns the scope of a freeze in words: "system payments, operation refund" or "the whole tenant". */
export function scopeText({ system, operation, key_id }: FreezeSelector): string {
  const parts = [
    system !== null && `system ${system}`,
    operation !== null && `operation ${operation}`,
    key_id !== null && `key ${key_id}`,
  ].filter(part => part !== false)
  return parts.length === 0 ? 'the whole tenant' : parts.join(', ')
}
