import { createPublicKey } from 'node:crypto'
import { ed25519 as curve } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  importPrivateKey,
  importPublicKey,
  privateKeyPem,
  signEd25519,
  verifyEd25519,
} from '../../../shared/canon/ed25519.ts'
import * as portable from '../../../shared/canon/portable/portable-ed25519.ts'
import { readVector } from '../../support/audit/published-vectors.ts'

const { Point } = curve
const order = Point.Fn.ORDER
/** Of order 8: its multiples are the eight points of small order. */
const torsion = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')
const smallPoints = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n].map(times => torsion.multiplyUnsafe(times))
const messages = Array.from({ length: 8 }, (_, n) => Buffer.from(`message ${n}`))

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const message = fc.uint8Array({ maxLength: 300 })

describe('signatures are judged as OpenSSL judges them', () => {
  it('good ones, flipped ones, and good ones of another key or message', () => {
    check(fc.tuple(bytes32, message, fc.nat(63), fc.nat(7)), ([seed, signed, at, bit]) => {
      const key = importPrivateKey(privateKeyPem(seed))
      const raw = key.publicKey.bytes
      const good = signEd25519(key, signed)
      expect(judged(raw, signed, good)).toBe(true)
      expect(judged(raw, signed, flipped(good, at, bit))).toBe(false)
      expect(judged(raw, Buffer.concat([signed, Buffer.of(0)]), good)).toBe(false)
      expect(judged(flipped(raw, at % 32, bit), signed, good)).toBe(false)
      for (const length of [0, 32, 63, 65]) expect(judged(raw, signed, resized(good, length))).toBe(false)
    })
  })

  it('arbitrary keys and signatures, where y is beyond the prime too', () => {
    const key = fc.oneof(bytes32, fc.nat(18).map(beyondThePrime))
    check(
      fc.tuple(key, message, fc.uint8Array({ minLength: 64, maxLength: 64 })),
      ([raw, signed, signature]) => {
        expect(judged(raw, signed, signature)).toBe(false)
      },
    )
  })

  it('S that is the same modulo the order, and S at its limits', () => {
    for (const signed of messages) {
      const { r, s, raw } = signWith({ signed })
      const judgements = [0n, 1n, 2n, 7n, 14n].map(times => judged(raw, signed, joined(r, s + times * order)))
      expect(judgements).toEqual([true, false, false, false, false])
      for (const limit of [0n, 1n, order - 1n, order, order + 1n, 2n ** 253n, 2n ** 255n, 2n ** 256n - 1n])
        expect(judged(raw, signed, joined(r, limit))).toBe(false)
    }
  })

  it('R and keys with a part of small order, where often only the cofactor helps', () => {
    const judgements = everyPair(smallPoints).flatMap(([inKey, inR]) =>
      messages.slice(0, 4).map(signed => {
        const { r, s, raw } = signWith({ signed, inKey, inR })
        const signature = joined(r, s)
        return { alone: judged(raw, signed, signature), cofactor: curve.verify(signature, signed, raw) }
      }),
    )
    expect(judgements.every(({ cofactor }) => cofactor)).toBe(true)
    expect(judgements.filter(({ alone }) => alone).length).toBeGreaterThan(20)
    expect(judgements.filter(({ alone }) => !alone).length).toBeGreaterThan(150)
  })

  it('keys and R of small order are refused in each encoding', () => {
    const judgements = everyPair(smallEncodings()).flatMap(([raw, r]) =>
      messages.slice(0, 4).map(signed => judged(raw, signed, joined(r, 0n))),
    )
    expect(judgements).toEqual(Array(14 * 14 * 4).fill(false))
    for (const raw of smallEncodings())
      expect([importPublicKey(raw), portable.importPublicKey(raw)]).toEqual([null, null])
  })

  it('R of small order is refused under good keys, though the equation holds', () => {
    for (const signed of messages) {
      const made = smallEncodings().map(encoding => signWith({ signed, secretR: 0n, encoding }))
      expect(made.filter(({ r, s, raw }) => judged(raw, signed, joined(r, s)))).toEqual([])
      const byCofactor = made.filter(({ r, s, raw }) => curve.verify(joined(r, s), signed, raw))
      expect(byCofactor.length).toBeGreaterThan(0)
    }
  })
})

describe('published vectors', () => {
  it('Wycheproof: each is judged as it says', () => {
    const { testGroups } = JSON.parse(readVector('ed25519/wycheproof_ed25519.json'))
    const wrong = testGroups.flatMap((group: { publicKey: string; tests: Record<string, string>[] }) =>
      group.tests.filter(({ msg = '', sig = '', result }) => {
        const [raw, signed, signature] = [group.publicKey, msg, sig].map(hex => Buffer.from(hex, 'hex'))
        return judged(raw, signed, signature) !== (result === 'valid')
      }),
    )
    expect(wrong).toEqual([])
  })

  it('CCTV: keys of small order are refused, and what some OpenSSL accepts', () => {
    const { keys } = JSON.parse(readVector('ed25519/cctv-low-order-keys.json'))
    expect(keys).toHaveLength(14)
    for (const { key, accepted_by_node: accepted } of keys) {
      const raw = Buffer.from(key, 'hex')
      expect(portable.importPublicKey(raw)).toBeNull()
      if (accepted === undefined || accepted === null) continue
      expect(judged(raw, Buffer.from(accepted.msg), Buffer.from(accepted.sig, 'hex'))).toBe(false)
    }
  })
})

/** What the product says of a signature under any key, after its portable module was found to say the same. */
function judged(raw: Uint8Array = none, signed: Uint8Array = none, signature: Uint8Array = none): boolean {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  const bytes = Buffer.from(raw)
  const handle = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const native = verifyEd25519({ bytes, handle }, signed, signature)
  expect(portable.verifyEd25519({ bytes }, signed, signature)).toBe(native)
  return native
}

const none = Buffer.alloc(0)

interface Made {
  signed: Uint8Array
  /** Added to the key and to R. */
  inKey?: typeof torsion
  inR?: typeof torsion
  secretR?: bigint
  /** What stands for R in the signature, instead of its canonical encoding. */
  encoding?: Uint8Array
}

/** A signature that satisfies at least the equation with the cofactor. */
function signWith({ signed, inKey = Point.ZERO, inR = Point.ZERO, secretR = 13n, encoding }: Made) {
  const secret = 11n
  const raw = Point.BASE.multiply(secret).add(inKey).toBytes()
  const r = encoding ?? Point.BASE.multiplyUnsafe(secretR).add(inR).toBytes()
  const k = BigInt(
    `0x${Buffer.from(sha512(Buffer.concat([r, raw, signed])))
      .reverse()
      .toString('hex')}`,
  )
  return { raw, r, s: (secretR + k * secret) % order }
}

function joined(r: Uint8Array, s: bigint): Buffer {
  return Buffer.concat([r, Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()])
}

/** Canonical or not: y beyond the prime, and a sign where x is 0. */
function smallEncodings(): Buffer[] {
  const whole = smallPoints.map(point => Buffer.from(point.toBytes()))
  const beyond = [0, 1].flatMap(n => [beyondThePrime(n), flipped(beyondThePrime(n), 31, 7)])
  const signedZero = [Point.ZERO, torsion.multiplyUnsafe(4n)].map(point => flipped(point.toBytes(), 31, 7))
  return [...whole, ...beyond, ...signedZero]
}

/** The encoding of y = p + n. */
function beyondThePrime(n: number): Buffer {
  const encoding = Buffer.alloc(32, 0xff)
  encoding[0] = 0xed + n
  encoding[31] = 0x7f
  return encoding
}

function flipped(bytes: Uint8Array, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ (1 << bit)
  return copy
}

function resized(bytes: Uint8Array, length: number): Buffer {
  return Buffer.concat([bytes, bytes]).subarray(0, length)
}

function everyPair<T>(values: readonly T[]): [T, T][] {
  return values.flatMap(one => values.map((other): [T, T] => [one, other]))
}

function check<T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void): void {
  fc.assert(
    fc.property(arbitrary, value => {
      holds(value)
    }),
    { numRuns: 50 },
  )
}
