import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { isSmallOrder } from './small-order.ts'

/**
 * An Ed25519 public key of 32 bytes. Weak keys are refused, because anybody can make a signature that a weak key
 * verifies.
 */
export interface PublicKey {
  readonly bytes: Buffer
  readonly handle: KeyObject
}

export interface PrivateKey {
  readonly handle: KeyObject
  readonly publicKey: PublicKey
}

/**
 * Admits 32 bytes as a public key; returns null for another length and for the 14 encodings of a small-order
 * point.
 */
export function importPublicKey(raw: Uint8Array): PublicKey | null {
  if (raw.length !== 32) return null
  const bytes = Buffer.from(raw)
  if (isSmallOrder(bytes)) return null
  const handle = createPublicKey({ key: Buffer.concat([spkiPrefix, bytes]), format: 'der', type: 'spki' })
  return { bytes, handle }
}

/** Reads a PKCS #8 PEM; throws an Error if it is not an Ed25519 private key. */
export function importPrivateKey(pem: string): PrivateKey {
  const handle = createPrivateKey({ key: pem, format: 'pem' })
  if (handle.asymmetricKeyType !== 'ed25519') throw new Error('the private key is not one of Ed25519')
  const spki = createPublicKey(handle).export({ format: 'der', type: 'spki' })
  const publicKey = importPublicKey(spki.subarray(spkiPrefix.length))
  if (publicKey === null) throw new Error('the private key has a public key that nobody can trust')
  return { handle, publicKey }
}

/** Returns the PKCS #8 PEM of the private key made from a seed of 32 random bytes. */
export function privateKeyPem(seed: Uint8Array): string {
  if (seed.length !== 32) throw new RangeError('the seed of an Ed25519 key has 32 bytes')
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
  return key.export({ format: 'pem', type: 'pkcs8' }).toString()
}

/** Returns the 64-byte signature of RFC 8032. The signature for one message and key is always the same. */
export function signEd25519(key: PrivateKey, message: Uint8Array): Buffer {
  return sign(null, message, key.handle)
}

/**
 * Returns true if the signature is valid by RFC 8032 and its R is not of small order. A small-order R is refused,
 * because OpenSSL refuses it from version 3.5 on and no signer makes one.
 */
export function verifyEd25519(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || isSmallOrder(signature.subarray(0, 32))) return false
  return verify(null, message, key.handle, signature)
}

export function publicKeyPem(key: PublicKey): string {
  return key.handle.export({ format: 'pem', type: 'spki' }).toString()
}

/** Returns the public key as a JWK (RFC 8037). */
export function publicKeyJwk(key: PublicKey): { kty: 'OKP'; crv: 'Ed25519'; x: string } {
  return { kty: 'OKP', crv: 'Ed25519', x: key.bytes.toString('base64url') }
}

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
