import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { isSmallOrder } from './small-order.ts'

/** An Ed25519 public key that was admitted: 32 bytes, and not one of the keys under which a signature proves nothing. */
export interface PublicKey {
  readonly bytes: Buffer
  readonly handle: KeyObject
}

export interface PrivateKey {
  readonly handle: KeyObject
  readonly publicKey: PublicKey
}

/** Admits 32 bytes as a public key; null for another length and for the 14 encodings of a point of small order. */
export function importPublicKey(raw: Uint8Array): PublicKey | null {
  if (raw.length !== 32) return null
  const bytes = Buffer.from(raw)
  if (isSmallOrder(bytes)) return null
  const handle = createPublicKey({ key: Buffer.concat([spkiPrefix, bytes]), format: 'der', type: 'spki' })
  return { bytes, handle }
}

/** Reads a PKCS #8 PEM; throws an Error where that is not an Ed25519 private key. */
export function importPrivateKey(pem: string): PrivateKey {
  const handle = createPrivateKey({ key: pem, format: 'pem' })
  if (handle.asymmetricKeyType !== 'ed25519') throw new Error('the private key is not one of Ed25519')
  const spki = createPublicKey(handle).export({ format: 'der', type: 'spki' })
  const publicKey = importPublicKey(spki.subarray(spkiPrefix.length))
  if (publicKey === null) throw new Error('the private key has a public key that nobody can trust')
  return { handle, publicKey }
}

/** The PKCS #8 PEM of the private key that 32 random bytes are. */
export function privateKeyPem(seed: Uint8Array): string {
  if (seed.length !== 32) throw new RangeError('the seed of an Ed25519 key has 32 bytes')
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
  return key.export({ format: 'pem', type: 'pkcs8' }).toString()
}

/** The signature of RFC 8032, 64 bytes; the same bytes for the same message and key each time. */
export function signEd25519(key: PrivateKey, message: Uint8Array): Buffer {
  return sign(null, message, key.handle)
}

/**
 * True when the signature is one of RFC 8032 by that key over those bytes, and its R is not of small order: OpenSSL refuses
 * such a one from 3.5 on, and no signer makes it.
 */
export function verifyEd25519(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || isSmallOrder(signature.subarray(0, 32))) return false
  return verify(null, message, key.handle, signature)
}

/** The public key as other programs read it: SPKI PEM. */
export function publicKeyPem(key: PublicKey): string {
  return key.handle.export({ format: 'pem', type: 'spki' }).toString()
}

/** The public key as a JWK (RFC 8037). */
export function publicKeyJwk(key: PublicKey): { kty: 'OKP'; crv: 'Ed25519'; x: string } {
  return { kty: 'OKP', crv: 'Ed25519', x: key.bytes.toString('base64url') }
}

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
