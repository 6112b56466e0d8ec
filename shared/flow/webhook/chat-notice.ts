import type { JsonObject } from '../../contract/base/json.ts'
import type { ChatFormat } from '../../contract/webhook.ts'
import { decidesNothing, type Notice } from './notice.ts'

/** A notice as the body that the incoming webhook of a chat takes (approvals.md#slack-and-teams). */
export const chatMessages: Readonly<Record<ChatFormat, (notice: Notice) => JsonObject>> = {
  slack: notice => slackMessage(notice),
  teams: teamsMessage,
}

/**
 * Texts are `plain_text`, in which nothing is markup. The link alone is `mrkdwn`, and the line that notifications show, and
 * what somebody decided.
 */
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

/** Each asks once more, since the message has none of what the action would be executed with. */
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

/** The three characters with a meaning everywhere in Slack: without them there is no link, no mention and no channel. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An adaptive card of text runs, which have no Markdown, as the workflows of Teams post it. */
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

/** Cards compute what is between two braces (`{{DATE(…)}}`): an agent's braces are apart. */
function run(text: string, weight: 'Default' | 'Bolder' = 'Default'): JsonObject {
  return { type: 'TextRun', text: text.replace(/\{(?=\{)/g, '{ '), weight }
}
