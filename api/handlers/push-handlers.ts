import type { pushEndpoints } from '../../shared/contract/endpoints/push-endpoints.ts'
import { readPush, subscribePush, unsubscribePush } from '../../shared/flow/webhook/push-subscriptions.ts'
import type { Handlers } from './handler.ts'

export const pushHandlers: Handlers<typeof pushEndpoints, keyof typeof pushEndpoints> = {
  async read_push(context, { principal }) {
    return { status: 200, body: await readPush(context, principal) }
  },
  async subscribe_push(context, { principal, body }) {
    return { status: 200, body: { subscription: await subscribePush(context, principal, body) } }
  },
  async unsubscribe_push(context, { principal, params: { subscription_id } }) {
    return { status: 200, body: { subscription: await unsubscribePush(context, principal, subscription_id) } }
  },
}
