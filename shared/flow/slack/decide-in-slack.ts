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

/** A button that was pressed: by whom, and what is to be decided about what was seen. */
interface Click extends Seen {
  tenant_id: string
  action_id: string
  kind: 'approve' | 'reject'
  slack: SlackIdentity
  span: RequestSpan
}

/** Slack waits three seconds for an answer to its request, then shows the person a failure. */
const replyMsMax = 2_500

/**
 * Decide as the member whom the Slack user is linked to, by the flow of every other decision (specification.md#decisions-in-slack).
 * Of what Slack sends, only a button of ours decides. What came of it is told in Slack, where that takes longer than Slack
 * waits too.
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

/** With no address for the answer, a decision that is not known to be recorded is a failure of the request. */
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

/** What is to be told of a decision. A refusal is for whoever was refused; that it came too late, for everybody. */
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
  // Slack does not say which webhook posted the message, and that one may tell no values.
  const about = { tenant_id, action_id, told: null, type: null, hasButtons: true, tellsValues: false }
  return slackMessage(await readNotice(context, about), said)
}

/** A text of Slack's as what it should be. Throws `validation_failed`. */
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
