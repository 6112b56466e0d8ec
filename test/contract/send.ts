import { type Agent, type IncomingMessage, request } from 'node:http'
import type { Response } from './contract-document.ts'

export interface Sent {
  method: string
  /** With its query, escaped. */
  path: string
  headers: Record<string, string>
  body: string | null
}

/** Sends a request as it stands; a stream is left after its first words. An answer that comes before the body was taken counts as one. */
export function send(url: string, agent: Agent, { method, path, headers, body }: Sent): Promise<Response> {
  const { hostname, port } = new URL(url)
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const sending = request(
      { hostname, port, method, path, headers: { ...length, ...headers }, agent },
      message => {
        const chunks: Buffer[] = []
        message.on('data', chunk => {
          chunks.push(chunk)
          if (isStream(message)) message.destroy()
        })
        message.on('error', error => (isStream(message) ? undefined : reject(error)))
        message.on('close', () =>
          resolve({
            status: message.statusCode ?? 0,
            headers: message.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      },
    )
    sending.on('error', reject)
    sending.end(body ?? undefined)
  })
}

function isStream({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false
}
