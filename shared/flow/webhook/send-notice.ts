import type { EgressGuard } from '../../actuator/egress/egress-guard.ts'
import { type PostBounds, type Posted, postMessage } from '../../actuator/post-message.ts'
import { sendMail } from '../../actuator/send-mail.ts'
import { type ChatFormat, isChat, mailAddress } from '../../contract/webhook.ts'
import { openUrl } from '../../runtime/secrets/sealed-value.ts'
import { version } from '../../runtime/version.ts'
import { readSlackApp } from '../../store/tenant/slack-rows.ts'
import type { DueDelivery } from '../../store/webhook/due-deliveries.ts'
import type { Context } from '../core/context.ts'
import { chatMessages } from './chat-notice.ts'
import { mailOf, type Notice } from './notice.ts'
import { readNotice } from './read-notice.ts'
import { deliveryId } from './webhook-deliveries.ts'

export interface Sending {
  guard: EgressGuard
  signal: AbortSignal
}

/** Sends a notice in words; they are written when it is sent, so that they describe the action as it is then. */
export async function sendNotice(context: Context, due: DueDelivery, sending: Sending): Promise<Posted> {
  const { format } = due
  return isChat(format) ? postToChat(context, due, format, sending) : mail(context, due, sending)
}

/** Sends an e-mail to the people who decide (approvals.md#e-mail). */
async function mail(context: Context, due: DueDelivery, { signal }: Sending): Promise<Posted> {
  const { smtp_url: url, mail_from: from, webhook_ms_max: timeout_ms } = context.config
  if (url === undefined || from === undefined) return notSent('this worker has no SERVICE_SMTP_URL')
  const notice = mailOf(await noticeOfDue(context, due, null))
  const to = mailAddress(due.url)
  return sendMail({ id: deliveryId(due), to, ...notice }, { url, from, timeout_ms, signal })
}

/** Posts to a chat (approvals.md#slack-and-teams). Its URL is a secret and is removed from recorded errors. */
async function postToChat(
  context: Context,
  due: DueDelivery,
  format: ChatFormat,
  sending: Sending,
): Promise<Posted> {
  const url = secretUrl(context, due)
  if (url === null) return notSent('the URL was sealed with another SERVICE_WEBHOOK_KEY')
  const body = JSON.stringify(
    chatMessages[format](await noticeOfDue(context, due, format === 'slack' ? url : null)),
  )
  const message = { id: deliveryId(due), url: new URL(url), body, secrets: [] }
  const posted = await postMessage(message, postBounds(context, sending))
  const { pathname, search } = message.url
  const error = posted.error?.replaceAll(`${pathname}${search}`, '/[redacted]') ?? null
  return { ...posted, error }
}

function secretUrl({ webhookKey }: Context, { webhook_id, sealed_url }: DueDelivery): string | null {
  return webhookKey && sealed_url && openUrl(webhookKey, webhook_id, sealed_url)
}

/** Adds buttons if the tenant has a Slack app of the workspace in the message's URL. */
async function noticeOfDue(context: Context, due: DueDelivery, slackUrl: string | null): Promise<Notice> {
  const { tenant_id, action_id, status, type, tells_values: tellsValues } = due
  const app = slackUrl && (await context.store.look([tenant_id], query => readSlackApp(query, tenant_id)))
  const hasButtons = app ? new URL(slackUrl).pathname.startsWith(`/services/${app.team_id}/`) : false
  return readNotice(context, { tenant_id, action_id, told: status, type, hasButtons, tellsValues })
}

export function postBounds({ config }: Context, { guard, signal }: Sending): PostBounds {
  return { guard, timeout_ms: config.webhook_ms_max, signal, user_agent: `action-gate/${version}` }
}

export function notSent(error: string): Posted {
  return { status: null, error, retry_after_ms: null }
}
