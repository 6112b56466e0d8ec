import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { agreementPairOf, importAgreementKey } from '../../../shared/canon/x25519.ts'
import { random32 } from '../../../shared/runtime/ids.ts'
import {
  openingKeyOf,
  openSecret,
  rewrapSecret,
  type SealedSecret,
  type SecretPlace,
  sealingKeyOf,
  sealSecret,
} from '../../../shared/runtime/secrets/sealed-secret.ts'

const key = openingKeyOf(agreementPairOf(random32()))
const other = openingKeyOf(agreementPairOf(random32()))
const place: SecretPlace = { tenant_id: 'acme', actuator: 'payments', name: 'token', version: 3 }
const value = 'tok-größer-💶'
const sealed = sealSecret(sealingKeyOf(key.publicKey), place, value)

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

describe('a sealed secret', () => {
  it('is opened by the private key, and holds nothing of the value', () => {
    expect(openSecret([other, key], place, sealed)).toBe(value)
    const stored = Buffer.concat([sealed.sealed, sealed.wrapped_key])
    expect(stored.includes('tok-')).toBe(false)
    expect([sealed.sealed.length, sealed.wrapped_key.length]).toEqual([28 + Buffer.byteLength(value), 80])
  })

  it('is sealed anew each time', () => {
    const again = sealSecret(key, place, value)
    expect(again.sealed.equals(sealed.sealed)).toBe(false)
    expect(again.wrapped_key.equals(sealed.wrapped_key)).toBe(false)
  })

  it.each<[string, SecretPlace]>([
    ['tenant', { ...place, tenant_id: 'other' }],
    ['actuator', { ...place, actuator: 'refunds' }],
    ['name', { ...place, name: 'tokens' }],
    ['version', { ...place, version: 2 }],
  ])('is not opened in the place of another %s, nor wrapped again', (_, elsewhere) => {
    expect(openSecret([key], elsewhere, sealed)).toBeNull()
    expect(rewrapSecret([key], other, elsewhere, sealed)).toBeNull()
  })

  it('is not opened without its key, nor by another one that takes its name', () => {
    expect(openSecret([], place, sealed)).toBeNull()
    expect(openSecret([other], place, sealed)).toBeNull()
    expect(openSecret([{ ...other, id: key.id }], place, sealed)).toBeNull()
  })

  it('is not opened once a single bit of it was changed', () => {
    for (let at = 0; at < sealed.sealed.length; at += 1)
      expect(openSecret([key], place, { ...sealed, sealed: flipped(sealed.sealed, at) })).toBeNull()
    for (let at = 0; at < sealed.wrapped_key.length; at += 1)
      expect(openSecret([key], place, { ...sealed, wrapped_key: flipped(sealed.wrapped_key, at) })).toBeNull()
  })

  it.each<[string, Partial<SealedSecret>]>([
    ['a value that was cut off', { sealed: sealed.sealed.subarray(0, 20) }],
    ['no value', { sealed: Buffer.alloc(0) }],
    ['a key that was cut off', { wrapped_key: sealed.wrapped_key.subarray(0, 31) }],
    [
      'a public key of small order',
      { wrapped_key: Buffer.concat([Buffer.alloc(32), sealed.wrapped_key.subarray(32)]) },
    ],
  ])('is not opened with %s', (_, damage) => {
    expect(openSecret([key], place, { ...sealed, ...damage })).toBeNull()
  })

  it('refuses to be sealed to a public key of small order', () => {
    const weak = importAgreementKey(Buffer.alloc(32))
    if (!weak) throw new Error('32 bytes are a key')
    expect(() => sealSecret(sealingKeyOf(weak), place, value)).toThrow()
  })

  it('is wrapped again for a new key, and then opened by that alone', () => {
    const rewrapped = rewrapSecret([key], other, place, sealed)
    if (!rewrapped) throw new Error('it was not opened')
    const moved = { ...sealed, ...rewrapped }
    expect(rewrapped.key_id).toBe(other.id)
    expect(openSecret([other], place, moved)).toBe(value)
    expect(openSecret([key], place, moved)).toBeNull()
  })
})

it('a key has the name of its public half, whoever made it', () => {
  const { publicKey } = generateKeyPairSync('x25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const imported = importAgreementKey(raw)
  if (!imported) throw new Error('32 bytes are a key')
  expect(sealingKeyOf(imported).id).toMatch(/^[0-9a-f]{16}$/)
  expect(sealingKeyOf(key.publicKey).id).toBe(key.id)
})
