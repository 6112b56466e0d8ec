import type { JsonObject } from '../../contract/base/json.ts'
import type { ChatFormat } from '../../contract/webhook.ts'
import { decidesNothing, type Notice } from './notice.ts'

/** Formats a notice as the body of a chat's incoming webhook (approvals.md#slack-and-teams). */
export const chatMessages: Readonly<Record<ChatFormat, (notice: Notice) => JsonObject>> = {
  slack: notice => slackMessage(notice),
  teams: teamsMessage,
}

/** Formats all texts as `plain_text`, which has no markup; only the link and a recorded decision are `mrkdwn`. */
export function slackMessage(
  { subject, title, meanwhile, facts, buttons, link }: Notice,
  decided: string | null = null,
): JsonObject {
  const closing = link.label === 'Decide' ? `\n${decidesNothing}` : ''
  return {
    text: escapeSlack(`${title}.`),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      slackText([`${title}.`, ...(meanwhile === null ? [] : [meanwhile])].join(' ')),
      ...facts.map(([label, value]) => slackText(`${label}: ${value}`)),
      section({
        type: 'mrkdwn',
        text: `<${escapeSlack(link.url)}|${link.label}>${closing}`,
        verbatim: true,
      }),
      ...(decided === null ? [] : [section({ type: 'mrkdwn', text: decided, verbatim: true })]),
      ...(buttons === null ? [] : [decisionButtons(subject, JSON.stringify(buttons))]),
    ],
  }
}

/** Each button asks for confirmation, because the message does not show the full action. */
function decisionButtons(subject: string, value: string): JsonObject {
  const button = (action_id: string, label: string, style: string): JsonObject => ({
    type: 'button',
    action_id,
    text: { type: 'plain_text', text: label, emoji: false },
    style,
    value,
    confirm: {
      title: { type: 'plain_text', text: `${label}?`, emoji: false },
      text: {
        type: 'plain_text',
        text: escapeSlack(
          `${subject}, as it was proposed. Its parameters are on the page that the link opens.`,
        ),
        emoji: false,
      },
      confirm: { type: 'plain_text', text: label, emoji: false },
      deny: { type: 'plain_text', text: 'Not now', emoji: false },
      style,
    },
  })
  return {
    type: 'actions',
    elements: [button('approve', 'Approve', 'primary'), button('reject', 'Reject', 'danger')],
  }
}

function slackText(text: string): JsonObject {
  return section({ type: 'plain_text', text: escapeSlack(text), emoji: false })
}

function section(text: JsonObject): JsonObject {
  return { type: 'section', text }
}

/** Escapes the three special characters of Slack, since without them no link, mention or channel can be written. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Builds an adaptive card from text runs, which have no Markdown, in the form that Teams workflows post. */
function teamsMessage({ title, meanwhile, facts, link }: Notice): JsonObject {
  const closing = link.label === 'Decide' ? [[run(decidesNothing)]] : []
  const lines = [
    [run(`${title}.`, 'Bolder')],
    ...(meanwhile === null ? [] : [[run(meanwhile)]]),
    ...facts.map(([label, value]) => [run(`${label}: `, 'Bolder'), run(value)]),
    ...closing,
  ]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: lines.map(inlines => ({ type: 'RichTextBlock', inlines })),
    actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
}

/** Separates double braces, because cards evaluate expressions such as `{{DATE(…)}}` in an agent's text. */
function run(text: string, weight: 'Default' | 'Bolder' = 'Default'): JsonObject {
  return { type: 'TextRun', text: text.replace(/\{(?=\{)/g, '{ '), weight }
}
