import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { sha256 } from '../../canon/digest.ts'
import {
  type AgreementKey,
  type AgreementPair,
  agree,
  agreementPairOf,
  importAgreementKey,
} from '../../canon/x25519.ts'
import { random32 } from '../ids.ts'

/** A public key that encrypts secrets. A process that has only this key can write secrets but cannot read them. */
export interface SealingKey {
  id: string
  publicKey: AgreementKey
}

export interface OpeningKey extends SealingKey {
  pair: AgreementPair
}

/**
 * The row that a secret belongs to. Both encryptions are bound to this row, so that a copy in another row cannot
 * be opened.
 */
export interface SecretPlace {
  tenant_id: string
  actuator: string
  name: string
  version: number
}

export interface SealedSecret {
  /**
   * The value, encrypted with AES-256-GCM and its own data key: 12 bytes of nonce, the ciphertext, 16 bytes of
   * tag.
   */
  sealed: Buffer
  /** The data key, wrapped for one sealing key: 32 bytes of one-time public key, then 48 bytes of AES-256-GCM. */
  wrapped_key: Buffer
  key_id: string
}

export function sealingKeyOf(publicKey: AgreementKey): SealingKey {
  const id = sha256(Buffer.concat([Buffer.from('gate/secrets-key/v1\n'), publicKey.bytes])).toString('hex')
  return { id: id.slice(0, 16), publicKey }
}

export function openingKeyOf(pair: AgreementPair): OpeningKey {
  return { ...sealingKeyOf(pair.publicKey), pair }
}

export function sealSecret(key: SealingKey, place: SecretPlace, value: string): SealedSecret {
  const dataKey = Buffer.from(random32())
  const nonce = random32().subarray(0, nonceLength)
  const sealed = Buffer.concat([
    nonce,
    encrypt({ key: dataKey, nonce }, boundTo('value', place), Buffer.from(value)),
  ])
  return { sealed, ...wrap(key, place, dataKey) }
}

export function openSecret(
  keys: readonly OpeningKey[],
  place: SecretPlace,
  stored: SealedSecret,
): string | null {
  const dataKey = unwrap(keys, place, stored)
  if (dataKey === null) return null
  const { sealed } = stored
  const sealing = { key: dataKey, nonce: sealed.subarray(0, nonceLength) }
  return decrypt(sealing, boundTo('value', place), sealed.subarray(nonceLength))?.toString() ?? null
}

/** Wraps the data key for another sealing key without opening the value; null if none of the keys opens it. */
export function rewrapSecret(
  keys: readonly OpeningKey[],
  to: SealingKey,
  place: SecretPlace,
  stored: SealedSecret,
): Pick<SealedSecret, 'wrapped_key' | 'key_id'> | null {
  const dataKey = unwrap(keys, place, stored)
  return dataKey && wrap(to, place, dataKey)
}

export const nonceLength = 12
const tagLength = 16
const publicLength = 32
/** The nonce is constant, because each wrapping key comes from a new key pair and is used once. */
const once = Buffer.alloc(nonceLength)

function wrap(
  { id, publicKey }: SealingKey,
  place: SecretPlace,
  dataKey: Buffer,
): Pick<SealedSecret, 'wrapped_key' | 'key_id'> {
  const own = agreementPairOf(random32())
  const key = wrappingKey(agree(own, publicKey), own.publicKey.bytes, publicKey.bytes)
  const wrapped = encrypt({ key, nonce: once }, boundTo('key', place), dataKey)
  return { wrapped_key: Buffer.concat([own.publicKey.bytes, wrapped]), key_id: id }
}

function unwrap(keys: readonly OpeningKey[], place: SecretPlace, stored: SealedSecret): Buffer | null {
  const opening = keys.find(({ id }) => id === stored.key_id)
  const { wrapped_key } = stored
  const own = importAgreementKey(wrapped_key.subarray(0, publicLength))
  if (!opening || !own) return null
  const shared = agreed(opening.pair, own)
  if (shared === null) return null
  const key = wrappingKey(shared, own.bytes, opening.publicKey.bytes)
  return decrypt({ key, nonce: once }, boundTo('key', place), wrapped_key.subarray(publicLength))
}

/** Returns null for an invalid public key, which no honest writer stores. */
function agreed(pair: AgreementPair, publicKey: AgreementKey): Buffer | null {
  try {
    return agree(pair, publicKey)
  } catch {
    return null
  }
}

function wrappingKey(shared: Buffer, own: Buffer, theirs: Buffer): Buffer {
  const info = Buffer.concat([Buffer.from('gate/secret-wrap/v1\n'), own, theirs])
  return Buffer.from(hkdfSync('sha256', shared, Buffer.alloc(0), info, 32))
}

function boundTo(part: 'value' | 'key', { tenant_id, actuator, name, version }: SecretPlace): Buffer {
  return Buffer.from(['gate/secret/v1', part, tenant_id, actuator, name, version].join('\n'))
}

interface Sealing {
  key: Buffer
  nonce: Buffer
}

export function encrypt({ key, nonce }: Sealing, bound: Buffer, text: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound)
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

/** Returns null if the tag does not match, so that no forged plaintext is used. */
export function decrypt({ key, nonce }: Sealing, bound: Buffer, sealed: Buffer): Buffer | null {
  const end = sealed.length - tagLength
  if (end < 0 || nonce.length !== nonceLength) return null
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
  decipher.setAAD(bound).setAuthTag(sealed.subarray(end))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()])
  } catch {
    return null
  }
}
