import { createEgressGuard } from '../../actuator/egress/egress-guard.ts'
import { postMessage } from '../../actuator/post-message.ts'
import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Context } from '../core/context.ts'
import { postBounds } from '../webhook/send-notice.ts'

/** Milliseconds to post an answer; Slack accepts one for 30 minutes after the click. */
const answerMsMax = 10_000

/**
 * Returns the answer URL of a click, or null without one. It must be of Slack, since the service could otherwise
 * be made to call any host. Throws `validation_failed`.
 */
export function answerUrl({ config }: Context, given: string | undefined): URL | null {
  if (given === undefined) return null
  const url = URL.canParse(given) ? new URL(given) : null
  const isOfSlack =
    url?.origin === new URL(config.slack_url).origin && url.username === '' && url.password === ''
  if (url && isOfSlack) return url
  const issue: Issue = {
    path: 'payload',
    code: 'invalid_url',
    message: 'names a `response_url` that is not of Slack',
  }
  throw new ServiceError('validation_failed', `payload: ${issue.message}`, [issue])
}

export function toOne(text: string): JsonObject {
  return { response_type: 'ephemeral', replace_original: false, text }
}

export function inPlace(message: JsonObject): JsonObject {
  return { ...message, replace_original: true }
}

/** Posts the outcome of a click to Slack; a lost answer changes nothing, because the decision is recorded before. */
export async function answerInSlack(context: Context, url: URL, answer: JsonObject): Promise<void> {
  const guard = createEgressGuard(context.config.egress_allow)
  const bounds = postBounds(context, { guard, signal: context.ending.signal })
  const message = { id: '', url, body: JSON.stringify(answer), secrets: [] }
  const { status, error } = await postMessage(message, { ...bounds, timeout_ms: answerMsMax })
  if (status !== null && status < 300) return
  // The URL is redacted, because anyone who knows it can write into the channel.
  const why = error?.replaceAll(`${url.pathname}${url.search}`, '/[redacted]') ?? `it answered ${status}`
  context.events.failed('slack', new Error(`Slack did not take an answer: ${why}`))
}
