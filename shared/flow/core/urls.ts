import type { Context } from './context.ts'

/** Where an action is polled: `/v1/actions/{id}`, prefixed as configured, never by a request header. */
export function pollingUrl(context: Context, actionId: string): string {
  return `${context.config.base_url}/v1/actions/${actionId}`
}

/** The page where a person decides about a held action, prefixed as configured; its link leads nowhere else. */
export function reviewUrl(
  { config }: Context,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
): string {
  return `${config.base_url}/approve/${tenant_id}/${action_id}`
}

/** Where the owner of its tenant polls an action. */
export function ownedPollingUrl(context: Context, tenantId: string, actionId: string): string {
  return `${context.config.base_url}/v1/accounts/tenants/${tenantId}/actions/${actionId}`
}

const presetUrl = 'http://127.0.0.1:8080'

/** A URL of ours for somebody who knows no address to read a path against. */
export function absoluteUrl(context: Context, url: string): string {
  return context.config.base_url === '' ? `${callableUrl(context)}${url}` : url
}

/** Where a program calls this service: as configured, or where this process listens. */
export function callableUrl({ config, listening }: Context): string {
  if (config.base_url !== '') return config.base_url
  return listening.url?.replace(/^http:\/\/(0\.0\.0\.0|\[::\])/, 'http://127.0.0.1') ?? presetUrl
}
