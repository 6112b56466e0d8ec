import { checkTrace } from '../audit/check-trace.ts'
import { prefixedHex } from '../canon/digest.ts'
import type { AuditExport } from '../contract/action.ts'
import { ServiceError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import { wallTimeMs } from '../runtime/clock.ts'
import { readAction } from '../store/actions.ts'
import type { Context } from './context.ts'

/**
 * Proof-bearing audit record of an action (audit definitions section 4), checked by the service itself before it leaves:
 * a trace that does not reproduce its own root is an error here, not a surprise for an auditor.
 */
export async function exportAudit(
  context: Context,
  tenantId: string,
  actionId: string,
): Promise<AuditExport> {
  const stored = await context.store.read([tenantId], reader => readAction(reader, tenantId, actionId))
  if (!stored) throw new ServiceError('action_not_found', `no action ${actionId}`)
  const events = stored.events.map(({ event, payload, salt }) => ({
    event,
    salt,
    payload: payload === null ? null : (JSON.parse(payload) as JsonObject),
  }))
  const root = prefixedHex(stored.audit_root)
  const checked = checkTrace(events, tenantId, actionId)
  if (!checked.ok) throw new Error(`audit of ${actionId}, event ${checked.sequence}: ${checked.problem}`)
  if (checked.root !== root)
    throw new Error(`audit of ${actionId}: the stored root is not that of its events`)
  return {
    integrity_version: 'canonical-unsigned-v1',
    tenant_id: tenantId,
    action_id: actionId,
    exported_at: new Date(wallTimeMs()).toISOString(),
    events,
    audit_root: root,
    statement: null,
    log: { pending: true },
    keys: [],
  }
}
