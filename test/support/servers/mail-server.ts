import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { expect } from 'vitest'

export interface ReceivedMail extends ParsedMail {
  recipients: string[]
}

/** A real SMTP server on 127.0.0.1 that keeps what it takes. */
export interface MailServer {
  url: string
  mails: ReceivedMail[]
  /** Waits until there are so many. */
  received(count: number): Promise<ReceivedMail[]>
  close(): Promise<void>
}

/** A code of SMTP that refuses the next message, or null. */
export type NextRefusal = () => { code: number; message: string } | null

export async function startMailServer(
  login: { user: string; pass: string },
  refusal: NextRefusal = () => null,
): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth({ username, password }, _, done) {
      if (username === login.user && password === login.pass) done(null, { user: username })
      else done(new Error('bad login'))
    },
    onData(stream, { envelope }, done) {
      simpleParser(stream).then(parsed => {
        const refused = refusal()
        if (refused) return done(Object.assign(new Error(refused.message), { responseCode: refused.code }))
        mails.push({ ...parsed, recipients: envelope.rcptTo.map(({ address }) => address) })
        return done()
      }, done)
    },
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://${login.user}:${login.pass}@127.0.0.1:${port}`,
    mails,
    async received(count) {
      await expect.poll(() => mails.length, { timeout: 20_000, interval: 10 }).toBeGreaterThanOrEqual(count)
      return mails
    },
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}
