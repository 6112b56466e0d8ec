import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { hmacSha256, sha256 } from '../../canon/digest.ts'
import { random32 } from '../ids.ts'

/** The shape of a presented key: `<key_id>.<secret>`, with 43 characters of base64url and 6 of checksum. */
const shape = /^(a[gpmd]k_[a-z2-7]{16})\.([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/

/**
 * Returns a new secret of 256 random bits with a checksum, so that a mistyped secret is refused without a look-up.
 */
export function newSecret(): string {
  const random = random32().toString('base64url')
  return random + checksum(random)
}

export function readKey(presented: string): { keyId: string; secretHash: Buffer } | null {
  const [, keyId, random, check] = shape.exec(presented) ?? []
  if (!keyId || !random || check !== checksum(random)) return null
  return { keyId, secretHash: hashSecret(random + check) }
}

export function hashSecret(secret: string): Buffer {
  return sha256(secret)
}

export function newToken(): string {
  return random32().toString('base64url')
}

export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/**
 * Derives the CSRF token that each write of a session must carry (specification.md#hosted-accounts). The token is
 * derived from the session token, so that no table stores it.
 */
export function csrfTokenOf(sessionToken: string): string {
  const mac = hmacSha256(Buffer.from(sessionToken), 'action-gate csrf v1', '')
  return Buffer.from(mac, 'hex').toString('base64url')
}

/** Compares two digests, as bytes or as text, in constant time. */
export function sameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

export interface SignedBody {
  bytes: Buffer
  timestamp: string
  signature: string
}

/** The largest difference between our clock and the time of a signed request. An older request may be a replay. */
export const slackAgeMsMax = 300_000

/**
 * Returns true if Slack signed the body with this secret within 5 minutes. HMAC-SHA-256, compared in constant
 * time.
 */
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
