import { ed25519 } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { isSmallOrder } from '../small-order.ts'

/** What a verifier needs of `shared/canon/ed25519.ts`, for where there is no Node; the bundler puts it in its place. */

export interface PublicKey {
  readonly bytes: Buffer
}

/** Whoever verifies has none. */
export type PrivateKey = { readonly publicKey: PublicKey }

export function importPublicKey(raw: Uint8Array): PublicKey | null {
  if (raw.length !== 32) return null
  const bytes = Buffer.from(raw)
  return isSmallOrder(bytes) ? null : { bytes }
}

/**
 * As OpenSSL judges, so that both verifiers say the same of every signature: the equation without the cofactor, R compared
 * as bytes, S below the order, and the key decoded modulo the field prime. `ed25519.verify` multiplies by the cofactor.
 */
export function verifyEd25519({ bytes }: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  const r = signature.subarray(0, 32)
  const s = littleEndian(signature.subarray(32))
  if (s >= Point.Fn.ORDER) return false
  const key = decodePoint(bytes)
  if (key === null) return false
  const k = Point.Fn.create(littleEndian(sha512(Buffer.concat([r, bytes, message]))))
  const found = Point.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(k))
  return Buffer.compare(found.toBytes(), r) === 0
}

export function signEd25519(): never {
  throw new Error('nothing is signed where there is no private key')
}

const { Point } = ed25519

function decodePoint(bytes: Uint8Array) {
  try {
    return Point.fromBytes(Uint8Array.from(bytes), true)
  } catch {
    return null
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}
