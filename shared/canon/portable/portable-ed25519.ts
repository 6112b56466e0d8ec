import { ed25519 } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { isSmallOrder } from '../small-order.ts'
import { decodeBase64 } from '../spelling.ts'

/** Replaces `shared/canon/ed25519.ts` in bundles, because browsers have no Node crypto. */

export interface PublicKey {
  readonly bytes: Buffer
}

export interface PrivateKey {
  readonly seed: Buffer
  readonly publicKey: PublicKey
}

export function importPublicKey(raw: Uint8Array): PublicKey | null {
  if (raw.length !== 32) return null
  const bytes = Buffer.from(raw)
  return isSmallOrder(bytes) ? null : { bytes }
}

/** Reads only the PKCS #8 PEM that `privateKeyPem` writes. */
export function importPrivateKey(pem: string): PrivateKey {
  const [, base64 = ''] = /^-----BEGIN PRIVATE KEY-----\n(.+)\n-----END PRIVATE KEY-----\n$/.exec(pem) ?? []
  const seed = decodeBase64(base64)?.subarray(pkcs8Prefix.length)
  if (seed === undefined || privateKeyPemOf(seed) !== pem)
    throw new Error('the private key is not one of Ed25519')
  const publicKey = importPublicKey(ed25519.getPublicKey(seed))
  if (publicKey === null) throw new Error('the private key has a public key that nobody can trust')
  return { seed, publicKey }
}

export function privateKeyPem(seed: Uint8Array): string {
  if (seed.length !== 32) throw new RangeError('the seed of an Ed25519 key has 32 bytes')
  return privateKeyPemOf(seed)
}

export function signEd25519(key: PrivateKey, message: Uint8Array): Buffer {
  return Buffer.from(ed25519.sign(message, key.seed))
}

/**
 * Verifies a signature by OpenSSL's rules, so that browser and server agree. The rules are: the equation without
 * the cofactor, S below the order, R not of small order and compared as bytes, and the key decoded modulo the
 * field prime. `ed25519.verify` multiplies by the cofactor and would accept more signatures.
 */
export function verifyEd25519({ bytes }: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  const r = signature.subarray(0, 32)
  if (isSmallOrder(r)) return false
  const s = littleEndian(signature.subarray(32))
  const key = decodePoint(bytes)
  if (s >= Point.Fn.ORDER || key === null) return false
  const k = Point.Fn.create(littleEndian(sha512(Buffer.concat([r, bytes, message]))))
  const found = Point.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(k))
  return Buffer.compare(found.toBytes(), r) === 0
}

export function publicKeyPem(key: PublicKey): string {
  return pemOf('PUBLIC KEY', Buffer.concat([spkiPrefix, key.bytes]))
}

export function publicKeyJwk(key: PublicKey): { kty: 'OKP'; crv: 'Ed25519'; x: string } {
  const x = key.bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return { kty: 'OKP', crv: 'Ed25519', x }
}

const { Point } = ed25519
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

function decodePoint(encoding: Uint8Array) {
  try {
    return Point.fromBytes(Uint8Array.from(encoding), true)
  } catch {
    return null
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

function privateKeyPemOf(seed: Uint8Array): string {
  return pemOf('PRIVATE KEY', Buffer.concat([pkcs8Prefix, seed]))
}

function pemOf(label: string, der: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`
}
