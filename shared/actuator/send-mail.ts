import { openDeadline, unlessAborted } from '../runtime/deadline.ts'
import type { Posted } from './post-message.ts'
import { reasonOf } from './recorded-text.ts'

export interface Mail {
  /** An id that all attempts of an e-mail share. It becomes the `Message-ID` at the sender's domain. */
  id: string
  to: string
  subject: string
  text: string
}

export interface MailServer {
  /** The URL of the server, `smtps://` or `smtp://`, with user and password. */
  url: string
  from: string
  timeout_ms: number
  signal: AbortSignal
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Sends one e-mail on its own connection (approvals.md#e-mail). The status is 250 or the server's refusal. A
 * repeated attempt has the same `Message-ID`, because the server may have accepted an attempt that it did not
 * answer.
 */
export async function sendMail(mail: Mail, server: MailServer): Promise<Posted> {
  const { url, from, timeout_ms } = server
  const options = optionsOf(new URL(url), timeout_ms)
  // The import is lazy, because it takes 0.1 s and most services send no e-mail.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(options)
  const { id, to, subject, text } = mail
  const deadline = openDeadline(server.signal, timeout_ms)
  const sending = transport.sendMail({
    from,
    to,
    subject,
    text,
    envelope: { from, to: [to] },
    messageId: `<${id}@${from.split('@')[1]}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await unlessAborted(sending, deadline.signal)
    return { status: 250, error: null, retry_after_ms: null }
  } catch (error) {
    return refusalOf(error, options.auth?.pass)
  } finally {
    deadline.clear()
    transport.close()
  }
}

function optionsOf({ protocol, hostname, port, username, password }: URL, timeoutMs: number) {
  const secure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !loopback.has(hostname),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    auth:
      username === ''
        ? undefined
        : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  }
}

/** Hides the password in the error, because a server may repeat it. */
function refusalOf(error: unknown, password: string | undefined): Posted {
  const { responseCode: status = null } = error as { responseCode?: number }
  const hide = (text: string): string => (password ? text.replaceAll(password, '[redacted]') : text)
  return { status, error: reasonOf(error, hide), retry_after_ms: null }
}
