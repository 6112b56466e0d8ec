import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../../../shared/canon/digest.ts'
import { newActionId, newKeyId, random32 } from '../../../../shared/runtime/ids.ts'
import { hashSecret, newSecret, readKey, sameHash } from '../../../../shared/runtime/secrets/secret.ts'
import { short } from '../../../support/short.ts'

const keyId = 'agk_abcdefghijklmnop'

describe('a secret', () => {
  it('has 256 random bits and a checksum, and only its hash is kept', () => {
    const secret = newSecret()
    expect(secret).toMatch(/^[A-Za-z0-9_-]{49}$/)
    expect(Buffer.from(secret.slice(0, 43), 'base64url')).toHaveLength(32)
    expect(newSecret()).not.toBe(secret)
    expect(readKey(`${keyId}.${secret}`)).toEqual({ keyId, secretHash: sha256(secret) })
    expect(hashSecret(secret)).toEqual(sha256(secret))
  })

  it('with any one character mistyped is refused without a look-up', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const place = fc.nat({ max: 48 })
    const typed = fc.constantFrom(...alphabet)
    fc.assert(
      fc.property(place, typed, (at, character) => {
        const secret = newSecret()
        fc.pre(secret[at] !== character)
        const mistyped = secret.slice(0, at) + character + secret.slice(at + 1)
        expect(readKey(`${keyId}.${mistyped}`)).toBeNull()
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(
    [
      '',
      '.',
      keyId,
      `${keyId}.`,
      `${keyId}.short`,
      `xxx_abcdefghijklmnop.${newSecret()}`,
      `agk_ABCDEFGHIJKLMNOP.${newSecret()}`,
      `agk_abc.${newSecret()}`,
      `${keyId}.${newSecret()} `,
      ` ${keyId}.${newSecret()}`,
      `${keyId}.${newSecret()}\n`,
      `${keyId}.${newSecret()}.x`,
      `${keyId}${newSecret()}`,
    ].map(text => [short(JSON.stringify(text)), text]),
  )('%s cannot be a key', (_, text) => {
    expect(readKey(text)).toBeNull()
  })

  it('is compared by its whole digest', () => {
    const digest = random32()
    expect(sameHash(digest, Buffer.from(digest))).toBe(true)
    expect(
      sameHash(digest, Buffer.concat([digest.subarray(0, 31), Buffer.from([~(digest[31] ?? 0) & 255])])),
    ).toBe(false)
    expect(sameHash(digest, digest.subarray(0, 31))).toBe(false)
  })
})

describe('identifiers', () => {
  it('keys say their scope', () => {
    expect(newKeyId('agent')).toMatch(/^agk_[a-z2-7]{16}$/)
    expect(newKeyId('approver')).toMatch(/^apk_[a-z2-7]{16}$/)
    expect(newKeyId('admin')).toMatch(/^adk_[a-z2-7]{16}$/)
  })

  it('actions sort by the time they were made and are never the same', () => {
    const ids = Array.from({ length: 2_000 }, newActionId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter(id => !/^act_[0-9a-z]{36}$/.test(id))).toEqual([])
    const times = ids.map(id => id.slice(4, 14))
    expect(times).toEqual([...times].sort())
  })

  it('random bytes are handed out once', () => {
    const drawn = Array.from({ length: 1_000 }, () => random32().toString('hex'))
    expect(new Set(drawn).size).toBe(drawn.length)
    expect(drawn.filter(hex => hex.length !== 64 || hex === '0'.repeat(64))).toEqual([])
  })
})
