import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leafHash, merkleRoot } from '../../../shared/audit/merkle/merkle.ts'
import {
  consistencyProof,
  inclusionProof,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
  rootOf,
} from '../../../shared/audit/merkle/proofs.ts'
import { type HashOf, type NodeRef, newNodes } from '../../../shared/audit/merkle/tree-nodes.ts'
import { verifyConsistency, verifyInclusion } from '../../../shared/audit/merkle/verify-proofs.ts'

const leaves = Array.from({ length: 300 }, (_, n) => leafHash(`leaf ${n}`))
const roots = Array.from({ length: leaves.length + 1 }, (_, size) => merkleRoot(leaves.slice(0, size)))
const sizes = fc.integer({ min: 1, max: leaves.length })
const twoSizes = fc.tuple(sizes, sizes).map(([one, other]) => [Math.min(one, other), Math.max(one, other)])

describe('an inclusion proof', () => {
  const place = sizes.chain(size => fc.tuple(fc.nat({ max: size - 1 }), fc.constant(size)))

  it('is that of the definition, and verifies', () => {
    fc.assert(
      fc.property(place, ([index, size]) => {
        const proof = inclusionProof(index, size, hashOf)
        expect(proof).toEqual(pathByDefinition(index, leaves.slice(0, size)))
        expect(verifyInclusion(claim(index, size))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('asks for the nodes it announced and for no others', () => {
    fc.assert(
      fc.property(place, ([index, size]) => {
        const asked: NodeRef[] = []
        inclusionProof(index, size, ref => hashOf(asked[asked.push(ref) - 1] as NodeRef))
        expect(asked.reverse().sort(byPlace)).toEqual(nodesForInclusion(index, size).sort(byPlace))
      }),
    )
  })

  it('of every leaf of every tree up to 40 verifies', () => {
    const places = pairs(0, 40).filter(([index, size]) => index < size)
    expect(places).toHaveLength(820)
    expect(places.filter(([index, size]) => !verifyInclusion(claim(index, size)))).toEqual([])
  })

  it('does not verify with any of its parts changed, or a hash more or less', () => {
    fc.assert(
      fc.property(place, fc.nat(), ([index, size], which) => {
        const honest = claim(index, size)
        const { proof } = honest
        const wrong = leaves[299] as Buffer
        const changes = [
          { root: wrong },
          { leafHash: leafHash('another') },
          { proof: [...proof, wrong] },
          { root: honest.root.subarray(1) },
          { index: size },
          { index: -1 },
          { index: index + 0.5 },
          { size: Number.NaN },
          { leafHash: Buffer.alloc(0) },
          ...(proof.length === 0
            ? []
            : [
                { proof: proof.slice(1) },
                { proof: proof.slice(0, -1) },
                { proof: proof.with(which % proof.length, leafHash('another')) },
                { proof: proof.with(which % proof.length, Buffer.alloc(31)) },
              ]),
        ]
        expect(changes.filter(change => verifyInclusion({ ...honest, ...change }))).toEqual([])
      }),
    )
  })

  it('is refused for a leaf that is not in the tree', () => {
    for (const [index, size] of [
      [5, 5],
      [-1, 5],
      [0, 0],
      [0.5, 3],
      [0, 2 ** 53],
    ] as const)
      expect(() => inclusionProof(index, size, hashOf)).toThrow(RangeError)
  })

  function claim(index: number, size: number) {
    const root = roots[size] as Buffer
    return {
      index,
      size,
      leafHash: leaves[index] as Buffer,
      proof: inclusionProof(index, size, hashOf),
      root,
    }
  }
})

describe('a consistency proof', () => {
  it('of every two trees up to 64 verifies, and with no other two roots of those sizes', () => {
    const all = pairs(1, 64).filter(([oldSize, size]) => oldSize <= size)
    expect(all.filter(([oldSize, size]) => !verifyConsistency(claim(oldSize, size)))).toEqual([])
    const forked = all.filter(([oldSize, size]) =>
      verifyConsistency({ ...claim(oldSize, size), oldRoot: leafHash('fork') }),
    )
    expect(forked).toEqual([])
    expect(all).toHaveLength(2080)
  })

  it('asks for the nodes it announced and for no others', () => {
    fc.assert(
      fc.property(twoSizes, ([oldSize = 1, size = 1]) => {
        const asked: NodeRef[] = []
        consistencyProof(oldSize, size, ref => hashOf(asked[asked.push(ref) - 1] as NodeRef))
        expect(asked.sort(byPlace)).toEqual(nodesForConsistency(oldSize, size).sort(byPlace))
      }),
    )
  })

  it('does not verify with any of its parts changed, or a hash more or less', () => {
    fc.assert(
      fc.property(twoSizes, fc.nat(), ([oldSize = 1, size = 1], which) => {
        const honest = claim(oldSize, size)
        const { proof } = honest
        const wrong = leafHash('another')
        const changes = [
          { root: wrong },
          { oldRoot: wrong },
          { oldSize: 0 },
          { oldSize: size + 1 },
          { size: oldSize - 1 },
          { proof: [...proof, wrong] },
          { root: Buffer.alloc(31) },
          ...(proof.length === 0
            ? []
            : [
                { proof: [] },
                { proof: proof.slice(1) },
                { proof: proof.slice(0, -1) },
                { proof: proof.with(which % proof.length, wrong) },
                { proof: proof.with(which % proof.length, Buffer.alloc(33)) },
              ]),
        ]
        expect(changes.filter(change => verifyConsistency({ ...honest, ...change }))).toEqual([])
      }),
    )
  })

  it('is empty from the empty tree, and refused where the old tree is larger', () => {
    expect(consistencyProof(0, 7, hashOf)).toEqual([])
    expect(nodesForConsistency(7, 7)).toEqual([])
    expect(() => consistencyProof(8, 7, hashOf)).toThrow(RangeError)
  })

  function claim(oldSize: number, size: number) {
    const proof = consistencyProof(oldSize, size, hashOf)
    return { oldSize, size, oldRoot: roots[oldSize] as Buffer, root: roots[size] as Buffer, proof }
  }
})

describe('the nodes of a log', () => {
  it('made batch by batch, are all complete subtrees, and give the root of every size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 8 }), batches => {
        const kept = new Map<string, Buffer>()
        let size = 0
        for (const batch of batches.filter(count => size + count <= leaves.length)) {
          const allowed = new Set(nodesForRoot(size).map(keyOf))
          const made = newNodes(size, leaves.slice(size, size + batch), ref => {
            expect(allowed).toContain(keyOf(ref))
            return kept.get(keyOf(ref)) as Buffer
          })
          for (const node of made) kept.set(keyOf(node), node.hash)
          size += batch
          expect(kept.size).toBe(completeSubtrees(size))
          expect(rootOf(size, ref => kept.get(keyOf(ref)) as Buffer)).toEqual(roots[size])
        }
      }),
    )
  })

  it('have the hashes of the subtrees they stand for', () => {
    const made = newNodes(0, leaves, () => {
      throw new Error('nothing has to be fetched')
    })
    expect(made.map(({ hash }) => hash)).toEqual(made.map(hashOf))
  })

  it('are made of leaves of 32 bytes', () => {
    expect(() => newNodes(0, [Buffer.alloc(31)], hashOf)).toThrow(RangeError)
  })
})

describe('a tree as large as numbers are exact, all of whose leaves are the same', () => {
  const size = Number.MAX_SAFE_INTEGER
  const levels = [leafHash('same')]
  while (levels.length < 53) levels.push(nodeByDefinition(levels.at(-1) as Buffer, levels.at(-1) as Buffer))
  const uniform: HashOf = ({ level }) => levels[level] as Buffer
  const root = rootOf(size, uniform)

  it.each([0, 2 ** 31, 2 ** 32 + 1, 2 ** 52, size - 1])('has a proof of leaf %d that verifies', index => {
    const claim = { index, size, leafHash: uniform({ level: 0, index }), root }
    const proof = inclusionProof(index, size, uniform)
    expect(verifyInclusion({ ...claim, proof })).toBe(true)
    expect(verifyInclusion({ ...claim, proof: proof.slice(1) })).toBe(false)
    expect(proof).toHaveLength(index === size - 1 ? 52 : 53)
  })

  it.each([1, 2 ** 31, 2 ** 32 + 5, 2 ** 52 + 1, size - 1])('continues the tree of %d', oldSize => {
    const claim = { size, root, proof: consistencyProof(oldSize, size, uniform) }
    const oldRoot = rootOf(oldSize, uniform)
    expect(verifyConsistency({ ...claim, oldSize, oldRoot })).toBe(true)
    expect(verifyConsistency({ ...claim, oldSize: oldSize + 1, oldRoot })).toBe(false)
    expect(verifyConsistency({ ...claim, oldSize, oldRoot: rootOf(oldSize + 1, uniform) })).toBe(false)
  })
})

function hashOf({ level, index }: NodeRef): Buffer {
  const width = 2 ** level
  const covered = leaves.slice(index * width, (index + 1) * width)
  expect(covered).toHaveLength(width)
  return merkleRoot(covered)
}

/** PATH of RFC 9162 section 2.1.3.1 as it is written there. */
function pathByDefinition(m: number, hashes: Buffer[]): Buffer[] {
  if (hashes.length <= 1) return []
  let k = 1
  while (k * 2 < hashes.length) k *= 2
  const left = hashes.slice(0, k)
  const right = hashes.slice(k)
  return m < k
    ? [...pathByDefinition(m, left), merkleRoot(right)]
    : [...pathByDefinition(m - k, right), merkleRoot(left)]
}

function nodeByDefinition(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest()
}

function completeSubtrees(size: number): number {
  let count = 0
  for (let width = 1; width <= size; width *= 2) count += Math.floor(size / width)
  return count
}

function pairs(from: number, to: number): [number, number][] {
  const numbers = Array.from({ length: to - from + 1 }, (_, n) => from + n)
  return numbers.flatMap(one => numbers.map((other): [number, number] => [one, other]))
}

function keyOf({ level, index }: NodeRef): string {
  return `${level}/${index}`
}

function byPlace(one: NodeRef, other: NodeRef): number {
  return one.level - other.level || one.index - other.index
}
