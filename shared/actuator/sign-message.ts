import { createHmac } from 'node:crypto'
import { wallTimeMs } from '../runtime/clock.ts'

/** Headers after the Standard Webhooks specification: one signature with each secret, and the time of this attempt. */
export function signMessage(
  secrets: readonly string[],
  { id, body }: { id: string; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(wallTimeMs() / 1_000))
  const signatures = secrets.map(secret => {
    const mac = createHmac('sha256', keyBytes(secret)).update(`${id}.${timestamp}.${body}`)
    return `v1,${mac.digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** `whsec_` and base64 as the specification writes keys; any other text is its own bytes. */
function keyBytes(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
}
