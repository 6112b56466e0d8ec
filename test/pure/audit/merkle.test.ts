import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leafHash, merkleRoot, nodeHash } from '../../../shared/audit/merkle/merkle.ts'
import { readVector } from '../../support/audit/published-vectors.ts'
import { short } from '../../support/short.ts'

const emptyRoot = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

describe('the classic tree of Certificate Transparency', () => {
  const inputs = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ]
  const roots = [
    emptyRoot,
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ]
  const leaves = inputs.map(input => leafHash(Buffer.from(input, 'hex')))

  it.each(roots.map((root, size) => [size, short(root), root] as const))(
    'has at size %i the root %s',
    (size, _, root) => {
      expect(merkleRoot(leaves.slice(0, size)).toString('hex')).toBe(root)
    },
  )
})

describe('any tree', () => {
  const leaves = fc.array(fc.uint8Array({ maxLength: 40 }).map(leafHash), { maxLength: 70, size: 'max' })

  it('has the root that the definition gives by recursion', () => {
    fc.assert(
      fc.property(leaves, hashes => {
        expect(merkleRoot(hashes)).toEqual(rootByDefinition(hashes))
      }),
    )
  })

  it('is not changed by asking for its root', () => {
    fc.assert(
      fc.property(leaves, hashes => {
        const before = hashes.map(hash => hash.toString('hex'))
        merkleRoot(hashes)
        expect(hashes.map(hash => hash.toString('hex'))).toEqual(before)
      }),
    )
  })

  it('has another root once a leaf is doubled at its end', () => {
    fc.assert(
      fc.property(leaves, fc.uint8Array(), (hashes, last) => {
        const odd = [...hashes, leafHash(last)]
        expect(merkleRoot([...odd, leafHash(last)])).not.toEqual(merkleRoot(odd))
      }),
    )
  })
})

it('a root is not the leaf that was handed in, but a copy', () => {
  const leaf = leafHash('a')
  merkleRoot([leaf]).fill(0)
  expect(leaf).toEqual(leafHash('a'))
})

it('a leaf takes a text as its UTF-8 bytes', () => {
  expect(leafHash('ü')).toEqual(leafHash(Buffer.from('ü')))
})

it('a node refuses what is not 32 bytes', () => {
  const hash = leafHash('a')
  expect(() => nodeHash(hash.subarray(1), hash)).toThrow(RangeError)
  expect(() => nodeHash(hash, Buffer.concat([hash, hash]))).toThrow(RangeError)
})

describe('the published vectors', () => {
  it('known roots', () => {
    const known = JSON.parse(readVector('merkle-rfc6962/known-roots.json'))
    const leaves = known.leaf_inputs_hex.map((input: string) => leafHash(Buffer.from(input, 'hex')))
    const roots = known.roots_by_size_hex.map((_: string, size: number) => merkleRoot(leaves.slice(0, size)))
    expect(merkleRoot([]).toString('hex')).toBe(known.empty_root_hex)
    expect(leaves.map((leaf: Buffer) => leaf.toString('hex'))).toEqual(known.leaf_hashes_hex)
    expect(roots.map((root: Buffer) => root.toString('hex'))).toEqual(known.roots_by_size_hex)
    expect(roots).toHaveLength(9)
  })
})

/** MTH of RFC 9162 section 2.1.1 as it is written there. */
function rootByDefinition(hashes: Uint8Array[]): Buffer {
  if (hashes.length === 0) return createHash('sha256').digest()
  if (hashes.length === 1) return Buffer.from(hashes[0] as Uint8Array)
  let k = 1
  while (k * 2 < hashes.length) k *= 2
  return createHash('sha256')
    .update(Uint8Array.of(1))
    .update(rootByDefinition(hashes.slice(0, k)))
    .update(rootByDefinition(hashes.slice(k)))
    .digest()
}
