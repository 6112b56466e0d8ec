import { ServiceError } from '../../contract/base/errors.ts'
import type { Timing } from '../../lifecycle/execute.ts'
import { jitter } from '../../runtime/ids.ts'
import { countWorkers } from '../../store/job/workers.ts'
import type { Context } from './context.ts'

/** Where an action is polled: `/v1/actions/{id}`, prefixed as configured, never by a request header. */
export function pollingUrl(context: Context, actionId: string): string {
  return `${context.config.base_url}/v1/actions/${actionId}`
}

/** The page where a person decides about a held action, prefixed as configured; its link leads nowhere else. */
export function reviewUrl({ config }: Context, action: ActionRef): string {
  return `${config.base_url}${reviewPath(action)}`
}

/** The same for who is at the service already. */
export function reviewPath({ tenant_id, action_id }: ActionRef): string {
  return `/approve/${tenant_id}/${action_id}`
}

interface ActionRef {
  tenant_id: string
  action_id: string
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

/** Whether e-mails leave: one without a link that leads anywhere would be no help. */
export function sendsMail({ smtp_url, mail_from, base_url }: Context['config']): boolean {
  return smtp_url !== undefined && mail_from !== undefined && base_url.startsWith('http')
}

/** Throws `mail_not_configured`. */
export function demandMail(config: Context['config']): void {
  if (sendsMail(config)) return
  const message = 'set SERVICE_SMTP_URL, SERVICE_MAIL_FROM and an absolute SERVICE_BASE_URL'
  throw new ServiceError('mail_not_configured', message)
}

/** The configured delays, spread anew for each use. */
export function timing({ config }: Context): Timing {
  const { retry_ms_min, retry_ms_max, retry_after_ms_max, reconcile_ms_min } = config
  return { terms: { retry_ms_min, retry_ms_max, retry_after_ms_max, reconcile_ms_min }, jitter: jitter() }
}

const overdueMsMin = 10_000
const sweepsMax = 3

/** A job that is due for longer was missed by several sweeps. */
export function overdueMs({ config }: Context): number {
  return Math.max(overdueMsMin, sweepsMax * config.sweep_ms)
}

/** A worker says at every sweep interval that it is there; one that left out several is not. */
const beatsMissedMax = 3

/** Milliseconds within which a living worker was seen. */
export function workerAliveMs({ config }: Pick<Context, 'config'>): number {
  return beatsMissedMax * config.sweep_ms
}

/** Whether any worker lives, as far as the database was told. */
export async function isWorkerSeen(context: Context): Promise<boolean> {
  return (await context.store.read('all', reader => countWorkers(reader, workerAliveMs(context)))) > 0
}
