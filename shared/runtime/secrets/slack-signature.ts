import { createHmac } from 'node:crypto'
import { sameHash } from './secret.ts'

/** A body with what its sender says of it: the bytes as they came, and two headers. */
export interface SignedBody {
  bytes: Buffer
  timestamp: string
  signature: string
}

/** How far the clocks may be apart; a request that is older is refused. */
export const slackAgeMsMax = 300_000

/** Whether Slack signed a body with this secret within the last minutes: HMAC-SHA-256, compared in constant time. */
export function isSignedBySlack(secret: string, signed: SignedBody, nowMs: number): boolean {
  const { bytes, timestamp, signature } = signed
  if (!/^\d{1,12}$/.test(timestamp)) return false
  const mac = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(bytes).digest('hex')
  const isOurs = sameHash(Buffer.from(signature), Buffer.from(`v0=${mac}`))
  return isOurs && Math.abs(nowMs - Number(timestamp) * 1_000) <= slackAgeMsMax
}
