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

/** What a secret can be sealed to: whoever has this alone can write secrets and read none. */
export interface SealingKey {
  /** 16 hexadecimal digits. */
  id: string
  publicKey: AgreementKey
}

/** What opens what was sealed to it. */
export interface OpeningKey extends SealingKey {
  pair: AgreementPair
}

/** Whose secret it is: bound into both seals, so that a row means nothing in the place of another. */
export interface SecretPlace {
  tenant_id: string
  actuator: string
  name: string
  version: number
}

export interface SealedSecret {
  /** The value, AES-256-GCM with a data key of its own: 12 bytes of nonce, the ciphertext, 16 bytes of tag. */
  sealed: Buffer
  /** The data key for one sealing key: 32 bytes of a public key made for it alone, then 48 of AES-256-GCM. */
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

/** Seal a value for whoever has the private key. */
export function sealSecret(key: SealingKey, place: SecretPlace, value: string): SealedSecret {
  const dataKey = Buffer.from(random32())
  const nonce = random32().subarray(0, nonceLength)
  const sealed = Buffer.concat([
    nonce,
    encrypt({ key: dataKey, nonce }, boundTo('value', place), Buffer.from(value)),
  ])
  return { sealed, ...wrap(key, place, dataKey) }
}

/** The value, by the one of the keys that it was sealed to; null where that is not there, or what is stored was changed. */
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

/** The data key for another key; the value stays sealed. Null where it cannot be opened. */
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
/** A key that wraps is used once: it comes from a pair that was made for it. */
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

/** Null for a public key that no honest writer stores. */
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

/** Null where the tag does not fit: nothing of it is believed. */
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
