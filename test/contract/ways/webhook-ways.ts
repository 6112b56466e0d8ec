import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import { pushSubscriptionRequest } from '../../../shared/contract/examples/example-webhooks.ts'
import type { MessageFormat } from '../../../shared/contract/webhook.ts'
import { plantWebhook } from '../../support/service/plant-webhook.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import { give } from '../world.ts'
import type { Attempt, Stage, Way } from './way.ts'

/** How to come to the errors that webhooks have. */
export const webhookErrorWays: Partial<Record<ErrorCode, Way>> = {
  webhook_not_found: withParams({
    webhook_id: 'wh_aaaaaaaaaaaaaaaa',
    subscription_id: 'wh_aaaaaaaaaaaaaaaa',
  }),
  delivery_not_found: withParams({ delivery_id: 'msg_aaaaaaaaaaaaaaaa_1' }),
  too_many_webhooks: async (operation, stage) => {
    const { known, service } = stage.world
    const id = await ownTenant(stage)
    for (let made = 0; made < 10; made += 1) await plantWebhook(service.context, id)
    return { asked: validRequest(operation, { ...known, ownParams: {}, params: { tenant_id: id } }) }
  },
  // A chat's URL is sealed when it is set, whoever creates or replaces it.
  webhooks_not_configured: async (operation, stage) => {
    const { asked } = await onFreshWebhook(operation, stage)
    return {
      asked: operation.operationId.startsWith('replace') ? to(slack, asked) : asked,
      url: stage.refusing.unkeyed,
    }
  },
  mail_not_configured: (operation, { world: { known } }) => ({
    asked: to({ url: 'mailto:lead@example.org', format: 'email' }, validRequest(operation, known)),
  }),
  links_not_configured: (operation, { world: { known } }) => ({
    asked: to(slack, validRequest(operation, known)),
  }),
  webhook_disabled: async (operation, stage) => {
    const { known, service } = stage.world
    const id = await ownTenant(stage)
    const params = { tenant_id: id, ...(await plantWebhook(service.context, id, false)) }
    return { asked: validRequest(operation, { ...known, params }) }
  },
}

/** How to come to what the example alone does not lead to: a webhook can be deleted once. */
export const webhookWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  delete_webhook: { 200: onFreshWebhook },
  delete_owned_webhook: { 200: onFreshWebhook },
  unsubscribe_push: { 200: subscribed },
  unsubscribe_owned_push: { 200: subscribed },
}

const slack = { url: 'https://hooks.slack.example/services/T0/B0/x', format: 'slack' } as const

function to(place: { url: string; format: MessageFormat }, asked: Asked): Asked {
  return { ...asked, body: JSON.stringify({ ...place, event_types: ['action.pending_approval'] }) }
}

async function onFreshWebhook(operation: Operation, stage: Stage): Promise<Attempt> {
  const { known, service } = stage.world
  const id = await ownTenant(stage)
  const params = { tenant_id: id, ...(await plantWebhook(service.context, id)) }
  return { asked: validRequest(operation, { ...known, ownParams: {}, params }) }
}

/** Somebody's browser, subscribed on the same surface. */
async function subscribed(operation: Operation, { world }: Stage): Promise<Attempt> {
  const asked = validRequest(operation, world.known)
  const made = await world.service.call<{ subscription: { subscription_id: string } }>(
    'POST',
    operation.path
      .replace('/{subscription_id}', '')
      .replace('{tenant_id}', String(world.known.params.tenant_id)),
    { headers: asked.headers, json: pushSubscriptionRequest },
  )
  const { subscription_id } = made.body.subscription
  return { asked: { ...asked, params: { ...asked.params, subscription_id } } }
}

/** A tenant that nothing else uses, and that the owner has. */
async function ownTenant({ world: { known, service } }: Stage): Promise<string> {
  const { id } = await service.tenant()
  await give(service, String(known.params.account_id), id)
  return id
}

function withParams(params: Record<string, string>): Way {
  return (operation, { world: { known } }) => {
    const asked = validRequest(operation, known)
    return { asked: { ...asked, params: { ...asked.params, ...params } } }
  }
}
