import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  importPrivateKey,
  importPublicKey,
  privateKeyPem,
  publicKeyJwk,
  publicKeyPem,
  signEd25519,
  verifyEd25519,
} from '../../../shared/canon/ed25519.ts'
import { readVector } from '../../support/audit/published-vectors.ts'

const key = importPrivateKey(privateKeyPem(Buffer.alloc(32, 7)))
const message = Buffer.from('a message')

describe('a key', () => {
  it('signs what its public key verifies, and nothing else', () => {
    const signature = signEd25519(key, message)
    expect(verifyEd25519(key.publicKey, message, signature)).toBe(true)
    expect(verifyEd25519(key.publicKey, Buffer.from('a massage'), signature)).toBe(false)
    expect(verifyEd25519(key.publicKey, message, signature.subarray(1))).toBe(false)
    expect(verifyEd25519(key.publicKey, message, Buffer.concat([signature, signature]))).toBe(false)
    const other = importPrivateKey(privateKeyPem(Buffer.alloc(32, 8)))
    expect(verifyEd25519(other.publicKey, message, signature)).toBe(false)
  })

  it('is shown in forms that other programs read', () => {
    const signature = signEd25519(key, message)
    expect(verify(null, message, createPublicKey(publicKeyPem(key.publicKey)), signature)).toBe(true)
    const jwk = createPublicKey({ key: publicKeyJwk(key.publicKey), format: 'jwk' })
    expect(verify(null, message, jwk, signature)).toBe(true)
  })

  it('is refused where it is of another kind, or not a key', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    expect(() => importPrivateKey(pem)).toThrow('not one of Ed25519')
    expect(() => importPrivateKey('no key')).toThrow()
    expect(() => privateKeyPem(Buffer.alloc(31))).toThrow(RangeError)
    expect(importPublicKey(Buffer.alloc(31, 1))).toBeNull()
  })
})

describe('published vectors of Ed25519', () => {
  it('RFC 8032: public keys and signatures come out of the secret keys', () => {
    const { vectors } = JSON.parse(readVector('ed25519/rfc8032.json'))
    expect(vectors).toHaveLength(4)
    for (const vector of vectors) {
      const secret = importPrivateKey(privateKeyPem(Buffer.from(vector.secret, 'hex')))
      const text = Buffer.from(vector.message, 'hex')
      expect(secret.publicKey.bytes.toString('hex')).toBe(vector.public)
      expect(signEd25519(secret, text).toString('hex')).toBe(vector.signature)
      expect(verifyEd25519(secret.publicKey, text, Buffer.from(vector.signature, 'hex'))).toBe(true)
    }
  })

  it('Wycheproof: 88 signatures are valid, 63 are not', () => {
    const { testGroups } = JSON.parse(readVector('ed25519/wycheproof_ed25519.json'))
    const judged = testGroups.flatMap((group: WycheproofGroup) => {
      const publicKey = importPublicKey(Buffer.from(group.publicKey, 'hex'))
      if (publicKey === null) throw new Error('an honest key was refused')
      return group.tests.map(({ msg, sig, result }) => ({
        result,
        found: verifyEd25519(publicKey, Buffer.from(msg, 'hex'), Buffer.from(sig, 'hex')),
      }))
    })
    expect(judged).toHaveLength(151)
    expect(
      judged.filter((one: { result: string; found: boolean }) => one.found !== (one.result === 'valid')),
    ).toEqual([])
  })

  it('CCTV: the 14 keys of small order are refused, and no key beside them', () => {
    const { keys } = JSON.parse(readVector('ed25519/cctv-low-order-keys.json'))
    expect(keys).toHaveLength(14)
    for (const low of keys) {
      const raw = Buffer.from(low.key, 'hex')
      expect(importPublicKey(raw), low.key).toBeNull()
      raw[1] = (raw[1] ?? 0) ^ 2
      expect(importPublicKey(raw), low.key).not.toBeNull()
    }
  })
})

interface WycheproofGroup {
  publicKey: string
  tests: { msg: string; sig: string; result: string }[]
}
