import { createEgressGuard, EgressRefused } from '../../actuator/egress/egress-guard.ts'
import type { KeyPrincipal, OwnerPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type { PushState, PushSubscription, PushSubscriptionRequest } from '../../contract/push-schema.ts'
import { inTime } from '../../contract/webhook.ts'
import { newName } from '../../runtime/ids.ts'
import { hiddenUrl, sealUrl } from '../../runtime/secrets/sealed-value.ts'
import { isPushKey, pushKeys } from '../../runtime/secrets/service-keys.ts'
import { lockTenant } from '../../store/tenant/tenant-rows.ts'
import {
  endOfOthers,
  endSubscription,
  insertSubscription,
  listSubscriptions,
  replaceSubscription,
  type StoredSubscription,
  type Subscriber,
} from '../../store/webhook/push-rows.ts'
import type { Context } from '../core/context.ts'
import { webhookKeyOf } from './webhooks.ts'

export type Decider = OwnerPrincipal | (KeyPrincipal & { tenant_id: string })

/** Lists the browsers in which a person sees waiting actions (approvals.md#in-the-browser). */
export async function readPush({ store, webhookKey }: Context, decider: Decider): Promise<PushState> {
  const stored = await store.look([decider.tenant_id], query =>
    listSubscriptions(query, subscriberOf(decider)),
  )
  return {
    application_server_key: webhookKey && pushKeys(webhookKey).publicKey,
    subscriptions: stored.map(subscriptionView),
  }
}

/** Subscribes a browser for this person alone; a known one stays, and the oldest makes room for a new one. */
export async function subscribePush(
  context: Context,
  decider: Decider,
  request: PushSubscriptionRequest,
): Promise<PushSubscription> {
  const key = webhookKeyOf(context)
  refuseCrafted(context, request)
  const whose = subscriberOf(decider)
  const url = hiddenUrl(request.endpoint)
  const { endpoint, keys } = request
  const remind_after_ms = inTime(request.remind_after_ms)
  return context.store.change([whose.tenant_id], async query => {
    // The lock serialises two tabs of one browser, so that they make one subscription.
    await lockTenant(query, whose.tenant_id)
    await endOfOthers(query, { ...whose, url })
    const all = await listSubscriptions(query, whose)
    const known = all.find(one => one.url === url)
    const webhook_id = known?.webhook_id ?? newName('wh')
    const sealed_url = sealUrl(key, webhook_id, JSON.stringify({ endpoint, ...keys }))
    const settings = { webhook_id, sealed_url, remind_after_ms }
    if (known) return subscriptionView(await replaceSubscription(query, whose, settings))
    for (const { webhook_id: oldest } of all.slice(0, -(limits.push_subscriptions_max - 1)))
      await endSubscription(query, whose, oldest)
    return subscriptionView(await insertSubscription(query, { ...whose, ...settings, url }))
  })
}

export async function unsubscribePush(
  { store }: Context,
  decider: Decider,
  subscriptionId: string,
): Promise<PushSubscription> {
  const whose = subscriberOf(decider)
  const ended = await store.change([whose.tenant_id], query => endSubscription(query, whose, subscriptionId))
  if (!ended) throw new ServiceError('webhook_not_found', `you have no subscription ${subscriptionId}`)
  return subscriptionView(ended)
}

function subscriberOf(decider: Decider): Subscriber {
  const subscriber = 'key_id' in decider ? decider.key_id : decider.account_id
  return { tenant_id: decider.tenant_id, subscriber }
}

/** Validates a browser's untrusted input: the URL must be callable, and the key usable for encryption. */
function refuseCrafted({ config }: Context, { endpoint, keys }: PushSubscriptionRequest): void {
  if (!isPushKey(keys.p256dh)) throw refused('keys.p256dh', 'invalid_key', 'is not a point of P-256')
  try {
    createEgressGuard(config.egress_allow).check(new URL(endpoint))
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error
    throw refused('endpoint', error.code, error.message)
  }
}

function refused(path: string, code: string, message: string): ServiceError {
  return new ServiceError('validation_failed', `${path}: ${message}`, [{ path, code, message }])
}

function subscriptionView(stored: StoredSubscription): PushSubscription {
  const { webhook_id, url, remind_after_ms, created_at } = stored
  return {
    subscription_id: webhook_id,
    endpoint: url,
    remind_after_ms,
    created_at: created_at.toISOString(),
  }
}
