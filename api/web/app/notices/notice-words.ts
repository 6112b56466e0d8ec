import type {
  DeliveryState,
  MessageFormat,
  MessageType,
  Webhook,
  WebhookDelivery,
} from '../../../../shared/contract/webhook.ts'
import type { Tone } from '../../ui/badge.tsx'

export const formatWords: Readonly<Record<MessageFormat, string>> = {
  email: 'E-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  signed: 'A program, by signed messages',
}

/** The selectable events in the form's order. Callbacks and reminders are configured elsewhere. */
export const eventWords = {
  'action.pending_approval': 'An action waits for a decision',
  'action.settled': 'An action was executed, was denied or failed',
  'action.outcome_unknown': 'Nobody knows what became of an action',
  'action.escalated': 'Nobody decided in time, and another group may approve as well',
} as const satisfies Partial<Record<MessageType, string>>
export type NoticeEvent = keyof typeof eventWords

const otherWords: Readonly<Record<Exclude<MessageType, NoticeEvent>, string>> = {
  'action.reminder': 'An action still waits',
  'action.callback': 'A proposal asked to be called back',
}

export function eventName(type: MessageType): string {
  return { ...eventWords, ...otherWords }[type]
}

export function mailAddress(url: string): string {
  return url.replace(/^mailto:/, '')
}

/** Returns the address of a notice. A chat's URL is secret, so that only its host and a digest are shown. */
export function placeOf({ url, format }: Pick<Webhook, 'url' | 'format'>): string {
  if (format === 'email') return mailAddress(url)
  if (format === 'signed') return url
  const { host, pathname } = new URL(url)
  return `${host}, URL ${pathname.slice(1, 1 + 'sha256:'.length + 8)}…`
}

const minuteMs = 60_000

/** Returns the reminder times in minutes, separated by commas. */
export function minutesText(remindAfterMs: readonly number[]): string {
  return remindAfterMs.map(ms => String(ms / minuteMs)).join(', ')
}

/** Returns the reminder times in milliseconds, or null if one of them is not a number. */
export function readMinutes(text: string): number[] | null {
  const parts = text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  return parts.every(part => /^\d+(?:\.\d+)?$/.test(part))
    ? parts.map(part => Math.round(Number(part) * minuteMs))
    : null
}

export function stateOf({ enabled, disabled_reason, failing_since }: Webhook): { label: string; tone: Tone } {
  if (disabled_reason === 'gone') return { label: 'Ended: the address is gone', tone: 'bad' }
  if (disabled_reason === 'failing') return { label: 'Ended: it failed for days', tone: 'bad' }
  if (!enabled) return { label: 'Off', tone: 'plain' }
  return failing_since === null ? { label: 'On', tone: 'good' } : { label: 'Failing', tone: 'warn' }
}

const deliveryTones: Readonly<Record<DeliveryState, Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
}

export function deliveryState({ state, attempts, next_attempt_at }: WebhookDelivery): {
  label: string
  tone: Tone
} {
  const labels = {
    pending: attempts === 0 || next_attempt_at === null ? 'To be sent' : 'Tried, and again later',
    delivered: 'Delivered',
    failed: 'Not delivered',
  }
  return { label: labels[state], tone: deliveryTones[state] }
}
