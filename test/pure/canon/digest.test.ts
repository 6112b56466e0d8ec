import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentHash, hex, hmacSha256, prefixedHex, sha256 } from '../../../shared/canon/digest.ts'
import { decodeBase64 } from '../../../shared/canon/spelling.ts'

describe('sha256', () => {
  it('gives the digests of FIPS 180', () => {
    expect(hex(sha256(''))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(hex(sha256('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it('takes a text as its UTF-8 bytes, and gives 32 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const expected = createHash('sha256').update(Buffer.from(text)).digest()
        expect(sha256(text)).toEqual(expected)
        expect(sha256(Buffer.from(text))).toEqual(expected)
      }),
    )
  })
})

it('hmacSha256 is what node makes of every key and text', () => {
  const given = [
    fc.uint8Array({ maxLength: 130 }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'grapheme' }),
  ] as const
  fc.assert(
    fc.property(...given, (key, domain, text) => {
      expect(hmacSha256(key, domain, text)).toBe(
        createHmac('sha256', key)
          .update(domain + text)
          .digest('hex'),
      )
    }),
  )
})

it('hmacSha256 gives case 2 of RFC 4231', () => {
  expect(hmacSha256(Buffer.from('Jefe'), 'what do ya ', 'want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

it('documentHash keeps the kinds apart', () => {
  expect(documentHash('policy', '{}')).toBe(
    'sha256:ced4064f444c5afac7b177e4b88868dc466a53e5fbd790ed32ba8bffbc147379',
  )
  expect(documentHash('catalog', '{}')).toBe(
    'sha256:d546d8afd285f598383e59d64dcd7f455dee58e2747e47a89aefb5b58be1f3d5',
  )
  expect(documentHash('proposal', '{"summary":"Zürich"}')).toBe(
    'sha256:b32ea4ed37e9c8683dc02f891c77be6165d9ee1cab4d59403b8f5e06e402bb00',
  )
})

it('prefixedHex is sha256: and lower-case hex', () => {
  expect(prefixedHex(Uint8Array.of(0, 0xab, 255))).toBe('sha256:00abff')
})

describe('decodeBase64', () => {
  it('reads what was written with padding', () => {
    expect(decodeBase64('AAECAw==')).toEqual(Buffer.of(0, 1, 2, 3))
    expect(decodeBase64('')).toEqual(Buffer.alloc(0))
  })

  it.each(['AAECAw', 'AAECAw=', 'AAECAx==', 'AAEC Aw==', 'AAECAw==\n', 'AAECAw==AA==', '-_-_', '*'])(
    'refuses %j',
    text => {
      expect(decodeBase64(text)).toBeNull()
    },
  )
})
