import { timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sha256 } from '../canon/digest.ts'
import { random32 } from './ids.ts'

/** A key as it is presented: `<key_id>.<secret>`, the secret 43 characters of base64url and 6 of checksum. */
const shape = /^(a[gpd]k_[a-z2-7]{16})\.([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/

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

/** Constant-time comparison of two SHA-256 digests. */
export function sameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

function checksum(text: string): string {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(text))
  return sum.toString('base64url')
}
