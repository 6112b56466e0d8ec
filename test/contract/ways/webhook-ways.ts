import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import { plantWebhook } from '../../support/service/plant-webhook.ts'
import type { Operation } from '../contract-document.ts'
import { validRequest } from '../valid-request.ts'
import type { Attempt, Stage, Way } from './way.ts'

/** How to come to the errors that webhooks have. */
export const webhookErrorWays: Partial<Record<ErrorCode, Way>> = {
  webhook_not_found: withParams({ webhook_id: 'wh_aaaaaaaaaaaaaaaa' }),
  delivery_not_found: withParams({ delivery_id: 'msg_aaaaaaaaaaaaaaaa_1' }),
  too_many_webhooks: async (operation, { world: { known, service } }) => {
    const { id } = await service.tenant()
    for (let made = 0; made < 10; made += 1) await plantWebhook(service.context, id)
    return { asked: validRequest(operation, { ...known, ownParams: {}, params: { tenant_id: id } }) }
  },
  webhooks_not_configured: async (operation, stage) => ({
    ...(await onFreshWebhook(operation, stage)),
    url: stage.refusing.unkeyed,
  }),
  mail_not_configured: async (operation, { world: { known } }) => ({
    asked: {
      ...validRequest(operation, known),
      body: JSON.stringify({
        url: 'mailto:lead@example.org',
        format: 'email',
        event_types: ['action.pending_approval'],
      }),
    },
  }),
  links_not_configured: async (operation, { world: { known } }) => ({
    asked: {
      ...validRequest(operation, known),
      body: JSON.stringify({
        url: 'https://hooks.slack.example/services/T0/B0/x',
        format: 'slack',
        event_types: ['action.pending_approval'],
      }),
    },
  }),
  webhook_disabled: async (operation, { world: { known, service } }) => {
    const { id } = await service.tenant()
    const params = { tenant_id: id, ...(await plantWebhook(service.context, id, false)) }
    return { asked: validRequest(operation, { ...known, params }) }
  },
}

/** How to come to what the example alone does not lead to: a webhook can be deleted once. */
export const webhookWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  delete_webhook: { 200: onFreshWebhook },
}

async function onFreshWebhook(operation: Operation, { world: { known, service } }: Stage): Promise<Attempt> {
  const { id } = await service.tenant()
  const params = { tenant_id: id, ...(await plantWebhook(service.context, id)) }
  return { asked: validRequest(operation, { ...known, ownParams: {}, params }) }
}

function withParams(params: Record<string, string>): Way {
  return (operation, { world: { known } }) => {
    const asked = validRequest(operation, known)
    return { asked: { ...asked, params: { ...asked.params, ...params } } }
  }
}
