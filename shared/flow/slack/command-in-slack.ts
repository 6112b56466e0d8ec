import type { SlackCommand } from '../../contract/slack-schema.ts'
import { isToken } from '../../runtime/secrets/secret.ts'
import { findSlackLink, type StoredSlackApp } from '../../store/tenant/slack-rows.ts'
import { linkSlackUser, unlinkSlackUser } from '../account/slack-links.ts'
import type { Context } from '../core/context.ts'
import { escapeSlack } from '../webhook/chat-notice.ts'
import { refuseOtherTeam, type SlackRequest, verifiedApp } from './verified-request.ts'

export const howToLink =
  'Your Slack user is linked to no account. Sign in to the dashboard, open Routes of the application, link your Slack user, and send the code with the slash command of this app.'

/** Answers a slash command: a code links the user, `unlink` ends the link, and any other text shows it. */
export async function commandInSlack(
  context: Context,
  request: SlackRequest,
  { team_id, user_id, text }: SlackCommand,
): Promise<string> {
  const app = await verifiedApp(context, request)
  refuseOtherTeam(app, team_id)
  const word = text.trim()
  if (isToken(word)) return link(context, app, { user_id, code: word })
  if (word.toLowerCase() === 'unlink')
    return (await unlinkSlackUser(context, app, user_id)) ? 'Your link has ended.' : howToLink
  const { tenant_id } = app
  const linked = await context.store.look([tenant_id], query => findSlackLink(query, { tenant_id, user_id }))
  return linked ? `You decide as ${escapeSlack(linked.email)}. \`unlink\` ends that.` : howToLink
}

async function link(
  context: Context,
  app: StoredSlackApp,
  given: { user_id: string; code: string },
): Promise<string> {
  const outcome = await linkSlackUser(context, app, given)
  if ('linked' in outcome) return `Linked. Your buttons decide as ${escapeSlack(outcome.linked.email)} now.`
  return outcome.refused === 'bad_code'
    ? 'Nobody was linked: the code is wrong, older than ten minutes, or was used.'
    : 'Nobody was linked: your Slack user is linked already. Send `unlink` first.'
}
