import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { hmacSha256, sha256 } from '../../canon/digest.ts'
import { random32 } from '../ids.ts'

/** A key as it is presented: `<key_id>.<secret>`, the secret 43 characters of base64url and 6 of checksum. */
const shape = /^(a[gpmd]k_[a-z2-7]{16})\.([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/

/** A new secret: 256 random bits and a checksum, so that a mistyped one is refused without a look-up. */
export function newSecret(): string {
  const random = random32().toString('base64url')
  return random + checksum(random)
}

/** The parts of a presented key, or null when it cannot be one. */
export function readKey(presented: string): { keyId: string; secretHash: Buffer } | null {
  const [, keyId, random, check] = shape.exec(presented) ?? []
  if (!keyId || !random || check !== checksum(random)) return null
  return { keyId, secretHash: hashSecret(random + check) }
}

export function hashSecret(secret: string): Buffer {
  return sha256(secret)
}

/** A token for a cookie: 256 random bits. */
export function newToken(): string {
  return random32().toString('base64url')
}

/** Whether a text can be a token; else nobody looks it up. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** What every write of a session has to show (specification.md#hosted-accounts): derived from its token, so nowhere stored. */
export function csrfTokenOf(sessionToken: string): string {
  const mac = hmacSha256(Buffer.from(sessionToken), 'action-gate csrf v1', '')
  return Buffer.from(mac, 'hex').toString('base64url')
}

/** Constant-time comparison of two digests, or of their texts. */
export function sameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

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

function checksum(text: string): string {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(text))
  return sum.toString('base64url')
}
