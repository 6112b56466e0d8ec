import { ServiceError } from '../../contract/base/errors.ts'
import type { Timing } from '../../lifecycle/execute.ts'
import { jitter } from '../../runtime/ids.ts'
import { countWorkers } from '../../store/job/workers.ts'
import type { Context } from './context.ts'

/** Returns the polling URL `/v1/actions/{id}` with the configured prefix; a request header never changes it. */
export function pollingUrl(context: Context, actionId: string): string {
  return `${context.config.base_url}/v1/actions/${actionId}`
}

/**
 * Returns the URL of the decision page; its prefix comes from the configuration, so that no request header can
 * lead a person elsewhere.
 */
export function reviewUrl({ config }: Context, action: ActionRef): string {
  return `${config.base_url}${reviewPath(action)}`
}

export function reviewPath({ tenant_id, action_id }: ActionRef): string {
  return `/approve/${tenant_id}/${action_id}`
}

interface ActionRef {
  tenant_id: string
  action_id: string
}

export function ownedPollingUrl(context: Context, tenantId: string, actionId: string): string {
  return `${context.config.base_url}/v1/accounts/tenants/${tenantId}/actions/${actionId}`
}

const presetUrl = 'http://127.0.0.1:8080'

/** Returns an absolute URL, for readers such as e-mail clients that have no base to resolve a path against. */
export function absoluteUrl(context: Context, url: string): string {
  return context.config.base_url === '' ? `${callableUrl(context)}${url}` : url
}

/** Returns the base URL for programs: the configured one, or else the address this process listens at. */
export function callableUrl({ config, listening }: Context): string {
  if (config.base_url !== '') return config.base_url
  return listening.url?.replace(/^http:\/\/(0\.0\.0\.0|\[::\])/, 'http://127.0.0.1') ?? presetUrl
}

/**
 * True if e-mails can be sent; an absolute base URL is required, since an e-mail without a working link would be
 * useless.
 */
export function sendsMail({ smtp_url, mail_from, base_url }: Context['config']): boolean {
  return smtp_url !== undefined && mail_from !== undefined && base_url.startsWith('http')
}

/** Throws `mail_not_configured`. */
export function demandMail(config: Context['config']): void {
  if (sendsMail(config)) return
  const message = 'set SERVICE_SMTP_URL, SERVICE_MAIL_FROM and an absolute SERVICE_BASE_URL'
  throw new ServiceError('mail_not_configured', message)
}

export function timing({ config }: Context): Timing {
  const { retry_ms_min, retry_ms_max, retry_after_ms_max, reconcile_ms_min } = config
  return { terms: { retry_ms_min, retry_ms_max, retry_after_ms_max, reconcile_ms_min }, jitter: jitter() }
}

const overdueMsMin = 10_000
const sweepsMax = 3

/** Returns the milliseconds after which a due job counts as overdue: three sweeps, and at least 10 s. */
export function overdueMs({ config }: Context): number {
  return Math.max(overdueMsMin, sweepsMax * config.sweep_ms)
}

/**
 * The sweep intervals without a report after which a worker counts as dead; a worker reports once per interval.
 */
const beatsMissedMax = 3

/** Returns the milliseconds since its last report within which a worker counts as alive. */
export function workerAliveMs({ config }: Pick<Context, 'config'>): number {
  return beatsMissedMax * config.sweep_ms
}

export async function isWorkerSeen(context: Context): Promise<boolean> {
  return (await context.store.read('all', reader => countWorkers(reader, workerAliveMs(context)))) > 0
}
