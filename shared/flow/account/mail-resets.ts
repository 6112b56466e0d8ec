import { type Mail, sendMail } from '../../actuator/send-mail.ts'
import { limits } from '../../contract/base/limits.ts'
import { jitter } from '../../runtime/ids.ts'
import { hashSecret, newToken } from '../../runtime/secrets/secret.ts'
import {
  accountsOfAddress,
  claimResets,
  type DueReset,
  deleteReset,
  putOffReset,
  setResetToken,
} from '../../store/account/reset-rows.ts'
import type { Context } from '../core/context.ts'
import { nextAttemptMs } from '../core/next-attempt.ts'

const atOnce = 16
const recordMsMax = 5_000

/**
 * Sends the due e-mails about forgotten passwords; returns true if there were any. A worker without a mail server
 * takes none. The token is made when its e-mail leaves and stored only as a hash, so that a repeated e-mail has
 * another.
 */
export async function mailResets(context: Context, signal: AbortSignal): Promise<boolean> {
  const { smtp_url: url, mail_from: from, webhook_ms_max: timeout_ms } = context.config
  if (url === undefined || from === undefined) return false
  const due = await context.store.write([], writer => claimResets(writer, atOnce, timeout_ms + recordMsMax))
  await Promise.all(
    due.map(async reset => {
      const mail = await mailOf(context, reset)
      if (mail === null) return context.store.change([], query => deleteReset(query, reset.reset_id))
      const { status, error } = await sendMail(mail, { url, from, timeout_ms, signal })
      if (error !== null) context.events.failed('mail_reset', new Error(error))
      await context.store.change([], query =>
        putOffReset(query, reset.reset_id, error === null ? null : retryMs(context, reset, status)),
      )
    }),
  )
  return due.length > 0
}

/** Returns null, which ends the attempts, for an SMTP code from 500 on or after the last planned attempt. */
function retryMs({ config }: Context, { attempts }: DueReset, status: number | null): number | null {
  if (status !== null && status >= 500) return null
  return nextAttemptMs(config.webhook_retry_ms, { attempts, jitter: jitter(), retry_after_ms: null })
}

/**
 * Writes the e-mail without any text by a user. Returns null if the address has no account, since no mail may go
 * there, and if the request has ended meanwhile.
 */
async function mailOf(context: Context, { reset_id, email }: DueReset): Promise<Mail | null> {
  const accounts = await context.store.read('all', reader => accountsOfAddress(reader, email))
  if (accounts.length === 0) return null
  const mail = { id: reset_id, to: email }
  if (!accounts.some(account => account.has_password))
    return { ...mail, subject: 'You have no password here', text: text(context, withoutPassword) }
  const token = newToken()
  const isOpen = await context.store.change([], query => setResetToken(query, reset_id, hashSecret(token)))
  return isOpen ? { ...mail, subject: 'Choose a new password', text: text(context, choose(token)) } : null
}

const choose = (token: string) => [
  `Choose it within ${limits.password_reset_minutes} minutes: {base}/app/reset#${token}`,
  'The link works once.',
  'If you did not ask, do nothing. Your password stays as it is.',
]

const withoutPassword = [
  'Your account has no password: you sign in with your identity provider. Nothing was changed.',
  'Sign in: {base}/app/login',
]

function text({ config }: Context, paragraphs: readonly string[]): string {
  const asked = 'Somebody asked for a new password for this address at {base}.'
  return `${[asked, ...paragraphs].join('\n\n')}\n`.replaceAll('{base}', config.base_url)
}
