import { parseStrictJson } from '../../canon/strict-json.ts'
import { errorTable, type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { decidingRole } from '../../contract/role-schema.ts'
import { type SlackIdentity, slackButtonSchema, slackClickSchema } from '../../contract/slack-schema.ts'
import type { Seen } from '../../lifecycle/decide.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'
import { findSlackLink, type StoredSlackLink } from '../../store/tenant/slack-rows.ts'
import { type RequestSpan, recordDecision, TooLateError } from '../action/decide-approval.ts'
import type { Context } from '../core/context.ts'
import { escapeSlack, slackMessage } from '../webhook/chat-notice.ts'
import { readNotice } from '../webhook/read-notice.ts'
import { answerInSlack, answerUrl, inPlace, toOne } from './answer-in-slack.ts'
import { howToLink } from './command-in-slack.ts'
import { refuseOtherTeam, type SlackRequest, verifiedApp } from './verified-request.ts'

interface Click extends Seen {
  tenant_id: string
  action_id: string
  kind: 'approve' | 'reject'
  slack: SlackIdentity
  span: RequestSpan
}

/** Milliseconds until the reply, because Slack shows a failure after three seconds. */
const replyMsMax = 2_500

/**
 * Decides as the member linked to the Slack user, by the flow of every other decision
 * (specification.md#decisions-in-slack). Only a click on one of our buttons decides; a slow outcome is posted to
 * Slack later.
 */
export async function decideInSlack(
  context: Context,
  request: SlackRequest,
  { payload, span }: { payload: string; span: RequestSpan },
): Promise<void> {
  const since = monotonicMs()
  const app = await verifiedApp(context, request)
  const { type, team, user, response_url, actions } = readAs(
    value => slackClickSchema.safeParse(value),
    payload,
  )
  refuseOtherTeam(app, team.id, user.team_id)
  const url = answerUrl(context, response_url)
  const [pressed] = actions
  const kind = kinds.find(each => each === pressed?.action_id)
  if (type !== 'block_actions' || kind === undefined) return
  const { tenant_id } = app
  const slack = { kind: 'slack', team_id: team.id, user_id: user.id } as const
  const seen = readAs(value => slackButtonSchema.safeParse(value), pressed?.value ?? '')
  const link = await context.store.look([tenant_id], query =>
    findSlackLink(query, { tenant_id, user_id: user.id }),
  )
  const done = decideAndTell(context, link, { tenant_id, kind, slack, span, url, ...seen })
  await withTimeout(done, Math.max(0, since + replyMsMax - monotonicMs()), () => undefined)
}

const kinds = ['approve', 'reject'] as const

/** Fails the request if there is no answer address and the decision is not known to be recorded. */
async function decideAndTell(
  context: Context,
  link: StoredSlackLink | null,
  { url, ...click }: Click & { url: URL | null },
): Promise<void> {
  try {
    const answer = link ? await decide(context, link, click) : toOne(howToLink)
    if (url) await answerInSlack(context, url, answer)
  } catch (error) {
    context.events.failed('slack', error)
    if (url === null) throw error
    await answerInSlack(context, url, toOne(notKnown))
  }
}

const notKnown = 'It is not known whether that was decided. Press again: nothing is decided twice.'

/** Returns the message about a decision: a refusal is shown to the person alone, a late decision to everyone. */
async function decide(context: Context, link: StoredSlackLink, click: Click): Promise<JsonObject> {
  const { tenant_id, action_id, kind, slack, span, proposal_hash, request_hash } = click
  const { account_id, email: name } = link
  const role = decidingRole(link.owner ? ['owner'] : [])
  const request = { proposal_hash, ...(request_hash === null ? {} : { request_hash }) }
  const owner = { account_id, name, scope: 'owner', tenant_id } as const
  const decision = { decider: { owner, role, slack }, action_id, request, span }
  try {
    await recordDecision(context, decision, { kind, seen: { proposal_hash, request_hash } })
  } catch (error) {
    if (error instanceof TooLateError)
      return inPlace(await messageNow(context, click, escapeSlack(`Too late: ${error.message}.`)))
    if (!(error instanceof ServiceError)) throw error
    return toOne(escapeSlack(`Nothing was decided. ${errorTable[error.code].title}: ${error.message}.`))
  }
  return inPlace(await messageNow(context, click, `${decided[kind]} by <@${slack.user_id}>.`))
}

const decided = { approve: 'Approved', reject: 'Rejected' } as const

async function messageNow(
  context: Context,
  { tenant_id, action_id }: Click,
  said: string,
): Promise<JsonObject> {
  // Values are hidden, because Slack does not say which webhook posted the message, and that one may hide them.
  const about = { tenant_id, action_id, told: null, type: null, hasButtons: true, tellsValues: false }
  return slackMessage(await readNotice(context, about), said)
}

function readAs<Value>(parse: Parse<Value>, text: string): Value {
  const json = parseStrictJson(Buffer.from(text))
  const read = json.ok ? parse(json.value) : null
  if (read?.success) return read.data
  const issue: Issue = {
    path: 'payload',
    code: 'not_of_slack',
    message: 'is not what Slack sends of our buttons',
  }
  throw new ServiceError('validation_failed', `payload: ${issue.message}`, [issue])
}

type Parse<Value> = (value: unknown) => { success: true; data: Value } | { success: false }
