import type { Proposal } from '../../contract/action/proposal.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { takesCallbacks } from '../../contract/webhook.ts'
import { readActionByProposal } from '../../store/action/actions.ts'
import { listWebhooks } from '../../store/webhook/webhooks.ts'
import type { Context } from '../core/context.ts'

/**
 * Refuse a new proposal whose callback no enabled endpoint of its tenant takes (integrate.md#callbacks). One that is there
 * already is answered as ever, whatever was allowed since.
 */
export async function checkCallback(
  context: Context,
  tenant_id: string,
  { proposal_id, callback }: Proposal,
): Promise<void> {
  if (!callback) return
  const webhooks = await context.store.look([tenant_id], query => listWebhooks(query, tenant_id))
  const takes = webhooks.some(
    ({ enabled, event_types, url }) => enabled && takesCallbacks(event_types) && callback.url.startsWith(url),
  )
  if (takes) return
  const reader = context.store.readEach([tenant_id])
  if (await readActionByProposal(reader, tenant_id, proposal_id)) return
  const message = 'begins with the URL of no enabled webhook of the tenant that takes `action.callback`'
  const issue = { path: 'callback.url', code: 'callback_not_allowed', message }
  throw new ServiceError('validation_failed', `callback.url: ${message}`, [issue])
}
