import { createHmac } from 'node:crypto'
import type { HttpAuth } from '../../contract/http-actuator.ts'
import { wallTimeMs } from '../../runtime/clock.ts'

/** Headers that prove who sends: a bearer token, or a signature after the Standard Webhooks specification. */
export function signRequest(
  auth: HttpAuth | undefined,
  secrets: ReadonlyMap<string, string>,
  message: { id: string; body: string },
): Record<string, string> {
  if (auth === undefined) return {}
  if (auth.type === 'bearer') return { authorization: `Bearer ${secrets.get(auth.token.env) ?? ''}` }
  const timestamp = String(Math.floor(wallTimeMs() / 1_000))
  const key = keyBytes(secrets.get(auth.key.env) ?? '')
  const signature = createHmac('sha256', key)
    .update(`${message.id}.${timestamp}.${message.body}`)
    .digest('base64')
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}

/** `whsec_` and base64 as the specification writes keys; any other text is its own bytes. */
function keyBytes(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
}
