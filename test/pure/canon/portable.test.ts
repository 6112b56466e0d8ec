import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as digest from '../../../shared/canon/digest.ts'
import * as ed25519 from '../../../shared/canon/ed25519.ts'
import * as portableDigest from '../../../shared/canon/portable/portable-digest.ts'
import * as portableEd25519 from '../../../shared/canon/portable/portable-ed25519.ts'
import * as portableUtf8 from '../../../shared/canon/portable/portable-utf8.ts'
import * as utf8 from '../../../shared/canon/utf8.ts'

const bytes = fc.uint8Array({ maxLength: 300 })
const text = fc.string({ unit: 'grapheme' })
/** With halves of surrogate pairs. */
const anyText = fc.string({ unit: 'binary' })

it.each([
  ['digest', digest, portableDigest],
  ['ed25519', ed25519, portableEd25519],
  ['utf8', utf8, portableUtf8],
])('%s exports the same without Node', (_, native, portable) => {
  expect(Object.keys(portable).sort()).toEqual(Object.keys(native).sort())
})

describe('without Node', () => {
  it('hashes alike', () => {
    check(fc.oneof(bytes, text, anyText), data => {
      expect(portableDigest.sha256(data)).toEqual(digest.sha256(data))
    })
    check(fc.tuple(bytes, fc.oneof(text, anyText)), ([data, said]) => {
      const long = Buffer.concat([data, Buffer.from(said)])
      for (const key of [data, long])
        expect(portableDigest.hmacSha256(key, 'd\n', said)).toBe(digest.hmacSha256(key, 'd\n', said))
      expect(portableDigest.documentHash('policy', said)).toBe(digest.documentHash('policy', said))
      expect(portableDigest.prefixedHex(data)).toBe(digest.prefixedHex(data))
      expect(portableDigest.hex(data.subarray(1))).toBe(digest.hex(data.subarray(1)))
    })
  })

  it('reads UTF-8 alike', () => {
    check(bytes, data => expect(portableUtf8.decodeUtf8(data)).toBe(utf8.decodeUtf8(data)))
    check(fc.tuple(fc.oneof(text, anyText), fc.nat(), bytes), ([said, at, broken]) => {
      const whole = Buffer.from(`\ufeff${said}`)
      const cut = Buffer.concat([whole.subarray(0, at % whole.length), broken.subarray(0, 2)])
      for (const data of [whole, cut]) expect(portableUtf8.decodeUtf8(data)).toBe(utf8.decodeUtf8(data))
    })
  })

  it('signs alike, and shows and reads keys alike', () => {
    check(
      fc.tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), bytes),
      ([seed, message]) => {
        const pem = ed25519.privateKeyPem(seed)
        expect(portableEd25519.privateKeyPem(seed)).toBe(pem)
        const native = ed25519.importPrivateKey(pem)
        const portable = portableEd25519.importPrivateKey(pem)
        expect(portableEd25519.signEd25519(portable, message)).toEqual(ed25519.signEd25519(native, message))
        expect(portable.publicKey.bytes).toEqual(native.publicKey.bytes)
        const shown = [
          portableEd25519.publicKeyPem(portable.publicKey),
          portableEd25519.publicKeyJwk(portable.publicKey),
        ]
        expect(shown).toEqual([
          ed25519.publicKeyPem(native.publicKey),
          ed25519.publicKeyJwk(native.publicKey),
        ])
      },
      20,
    )
  })

  it.each([portableEd25519, ed25519])('refuses what is no key of Ed25519', module => {
    const pem = module.privateKeyPem(Buffer.alloc(32, 7))
    for (const other of [
      '',
      'no key',
      pem.replace('MC4C', 'MC4D'),
      pem.replace('Bw', ''),
      pem.replace('PRIVATE', 'PUBLIC'),
    ])
      expect(() => module.importPrivateKey(other), other).toThrow()
    expect(() => module.privateKeyPem(Buffer.alloc(31))).toThrow(RangeError)
    for (const length of [0, 31, 33]) expect(module.importPublicKey(Buffer.alloc(length, 1))).toBeNull()
  })
})

function check<T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void, numRuns = 200): void {
  fc.assert(
    fc.property(arbitrary, value => {
      holds(value)
    }),
    { numRuns },
  )
}
