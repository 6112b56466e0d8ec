import { openDeadline, unlessAborted } from '../runtime/deadline.ts'
import type { Posted } from './post-message.ts'
import { reasonOf } from './recorded-text.ts'

/** One e-mail to one address, as plain text. */
export interface Mail {
  /** The same in every attempt: its `Message-ID` at the domain of the sender. */
  id: string
  to: string
  subject: string
  text: string
}

export interface MailServer {
  /** `smtps://` or `smtp://`, with user and password. */
  url: string
  from: string
  timeout_ms: number
  signal: AbortSignal
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Send one e-mail on a connection of its own (approvals.md#e-mail). The status is the one that the server refused it with,
 * 250 where it took it; an attempt that got no answer may have been taken, and is sent again under the same `Message-ID`.
 */
export async function sendMail(mail: Mail, server: MailServer): Promise<Posted> {
  const { url, from, timeout_ms } = server
  const options = optionsOf(new URL(url), timeout_ms)
  // Loaded with the first e-mail: it takes a tenth of a second, and most services send none.
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

/** What is said of an attempt that failed, without the password, which a server may repeat. */
function refusalOf(error: unknown, password: string | undefined): Posted {
  const { responseCode: status = null } = error as { responseCode?: number }
  const hide = (text: string): string => (password ? text.replaceAll(password, '[redacted]') : text)
  return { status, error: reasonOf(error, hide), retry_after_ms: null }
}
