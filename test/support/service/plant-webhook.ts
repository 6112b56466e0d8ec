import type { Context } from '../../../shared/flow/core/context.ts'
import { newName } from '../../../shared/runtime/ids.ts'
import { insertWebhook } from '../../../shared/store/webhook/webhook-rows.ts'

/** A webhook of a tenant and a message to it that was delivered; whatever is sent to it is refused on the way out. */
export async function plantWebhook(
  { store }: Pick<Context, 'store'>,
  tenantId: string,
  enabled = true,
): Promise<{ webhook_id: string; delivery_id: string }> {
  const webhook_id = newName('wh')
  const request = {
    url: 'https://localhost/',
    sealed_url: null,
    format: 'signed' as const,
    event_types: ['action.settled' as const],
    remind_after_ms: [],
    tells_values: true,
    description: null,
  }
  await store.change([tenantId], query =>
    insertWebhook(query, { ...request, enabled, tenant_id: tenantId, webhook_id }),
  )
  await store.write([tenantId], writer =>
    writer.query(
      '',
      `insert into webhook_deliveries (webhook_id, log_index, tenant_id, type, action_id, status, occurred_at, state)
       values ($1, 7, $2, 'action.settled', 'act_' || repeat('0', 36), 'executed', '2026-11-21T00:00:00.000Z', 'delivered')`,
      [webhook_id, tenantId],
    ),
  )
  return { webhook_id, delivery_id: `${webhook_id.replace('wh_', 'msg_')}_7` }
}
