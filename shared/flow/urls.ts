import type { Context } from './context.ts'

/** Where an action is polled: `/v1/actions/{id}`, prefixed as configured, never by a request header. */
export function pollingUrl(context: Context, actionId: string): string {
  return `${context.config.base_url}/v1/actions/${actionId}`
}
