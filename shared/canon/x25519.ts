import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'

/** An X25519 public key (RFC 7748): its 32 bytes and Node's handle for the key. */
export interface AgreementKey {
  readonly bytes: Buffer
  readonly handle: KeyObject
}

export interface AgreementPair {
  readonly handle: KeyObject
  readonly publicKey: AgreementKey
}

/** Admits 32 bytes as a public key; returns null for another length. `agree` refuses a key of small order. */
export function importAgreementKey(raw: Uint8Array): AgreementKey | null {
  if (raw.length !== 32) return null
  const bytes = Buffer.from(raw)
  const handle = createPublicKey({ key: Buffer.concat([spkiPrefix, bytes]), format: 'der', type: 'spki' })
  return { bytes, handle }
}

/** Reads an SPKI PEM. Throws an Error for a private key, or for a key that is not X25519. */
export function readAgreementKey(pem: string): AgreementKey {
  if (/PRIVATE/.test(pem)) throw new Error('it is a private key, which belongs to workers alone')
  return publicOf(createPublicKey({ key: pem, format: 'pem' }))
}

/** Reads a PKCS #8 PEM; throws an Error if it is not an X25519 private key. */
export function readAgreementPair(pem: string): AgreementPair {
  const handle = createPrivateKey({ key: pem, format: 'pem' })
  return { handle, publicKey: publicOf(createPublicKey(handle)) }
}

export function agreementPairOf(seed: Uint8Array): AgreementPair {
  const key = Buffer.concat([pkcs8Prefix, seed])
  const handle = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  return { handle, publicKey: publicOf(createPublicKey(handle)) }
}

export function agreementPem({ handle }: AgreementPair): string {
  return handle.export({ format: 'pem', type: 'pkcs8' }).toString()
}

/**
 * Returns the shared secret. Throws for a public key of small order, because the secret would be zero for every
 * private key.
 */
export function agree({ handle }: AgreementPair, publicKey: AgreementKey): Buffer {
  return diffieHellman({ privateKey: handle, publicKey: publicKey.handle })
}

function publicOf(handle: KeyObject): AgreementKey {
  if (handle.asymmetricKeyType !== 'x25519') throw new Error('the key is not one of X25519')
  const bytes = handle.export({ format: 'der', type: 'spki' }).subarray(spkiPrefix.length)
  return { bytes: Buffer.from(bytes), handle }
}

const spkiPrefix = Buffer.from('302a300506032b656e032100', 'hex')
const pkcs8Prefix = Buffer.from('302e020100300506032b656e04220420', 'hex')
