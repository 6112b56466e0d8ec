import type { EgressGuard } from '../../actuator/egress/egress-guard.ts'
import { type PostBounds, type Posted, postMessage } from '../../actuator/post-message.ts'
import { sendMail } from '../../actuator/send-mail.ts'
import { type ChatFormat, isChat, mailAddress } from '../../contract/webhook.ts'
import { readTrace } from '../../lifecycle/trace.ts'
import { openUrl } from '../../runtime/secrets/sealed-url.ts'
import { version } from '../../runtime/version.ts'
import { readAction } from '../../store/action/actions.ts'
import { readHeld } from '../../store/action/held-rows.ts'
import type { DueDelivery } from '../../store/webhook/due-deliveries.ts'
import { reviewUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { chatMessages } from './chat-notice.ts'
import { mailOf, type Notice, noticeOf } from './notice.ts'
import { deliveryId } from './webhook-deliveries.ts'

/** How many endpoints are called, and until when. */
export interface Sending {
  guard: EgressGuard
  signal: AbortSignal
}

/** Send words for people: written when they leave, so that they say what is true then. */
export async function sendNotice(context: Context, due: DueDelivery, sending: Sending): Promise<Posted> {
  const { format } = due
  return isChat(format) ? postToChat(context, due, format, sending) : mail(context, due, sending)
}

/** An e-mail to whoever decides (approvals.md#e-mail). */
async function mail(context: Context, due: DueDelivery, { signal }: Sending): Promise<Posted> {
  const { smtp_url: url, mail_from: from, webhook_ms_max: timeout_ms } = context.config
  if (url === undefined || from === undefined) return notSent('this worker has no SERVICE_SMTP_URL')
  const notice = mailOf(await readNotice(context, due))
  const to = mailAddress(due.url)
  return sendMail({ id: deliveryId(due), to, ...notice }, { url, from, timeout_ms, signal })
}

/** A message to a chat (approvals.md#slack-and-teams). Its URL is a secret, which no recorded error repeats. */
async function postToChat(
  context: Context,
  due: DueDelivery,
  format: ChatFormat,
  sending: Sending,
): Promise<Posted> {
  const url = secretUrl(context, due)
  if (url === null) return notSent('the URL was sealed with another SERVICE_WEBHOOK_KEY')
  const body = JSON.stringify(chatMessages[format](await readNotice(context, due)))
  const message = { id: deliveryId(due), url: new URL(url), body, secrets: [] }
  const posted = await postMessage(message, postBounds(context, sending))
  const { pathname, search } = message.url
  const error = posted.error?.replaceAll(`${pathname}${search}`, '/[redacted]') ?? null
  return { ...posted, error }
}

function secretUrl({ webhookKey }: Context, { webhook_id, sealed_url }: DueDelivery): string | null {
  return webhookKey && sealed_url && openUrl(webhookKey, webhook_id, sealed_url)
}

async function readNotice(context: Context, due: DueDelivery): Promise<Notice> {
  const { tenant_id, action_id, status, type } = due
  const reader = context.store.readEach([tenant_id])
  const [stored, [held]] = await Promise.all([
    readAction(reader, tenant_id, action_id),
    readHeld(reader, [action_id]),
  ])
  return noticeOf({
    tenant_id,
    action_id,
    type,
    status: { told: status, now: stored?.status ?? status },
    proposal: stored && readTrace(stored.events).proposal,
    expires_at: held?.held_until ?? null,
    url: reviewUrl(context, due),
  })
}

/** What bounds a call of an endpoint. */
export function postBounds({ config }: Context, { guard, signal }: Sending): PostBounds {
  return { guard, timeout_ms: config.webhook_ms_max, signal, user_agent: `action-gate/${version}` }
}

/** An attempt that came to nothing before anything left. */
export function notSent(error: string): Posted {
  return { status: null, error, retry_after_ms: null }
}
