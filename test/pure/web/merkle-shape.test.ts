import { expect, it } from 'vitest'
import { merkleHashes, merkleShape, nodeKey } from '../../../api/web/lib/trace/merkle-shape.ts'
import { layTree } from '../../../api/web/lib/trace/tree-layout.ts'
import { leafHash, merkleRoot } from '../../../shared/audit/merkle/merkle.ts'

const leaves = Array.from({ length: 70 }, (_, place) => leafHash(`event ${place}`))

it('computes the root that the service computes, for every size', async () => {
  for (let size = 1; size <= leaves.length; size += 1) {
    const hashes = await merkleHashes(leaves.slice(0, size).map(leaf => leaf.toString('hex')))
    expect(hashes?.get(`0-${size}`)).toBe(merkleRoot(leaves.slice(0, size)).toString('hex'))
  }
})

it('gives nothing for no leaves', async () => {
  expect(await merkleHashes([])).toBeNull()
})

it('puts the largest power of two to the left', () => {
  expect(merkleShape(7).children?.map(nodeKey)).toEqual(['0-4', '4-7'])
  expect(merkleShape(8).children?.map(nodeKey)).toEqual(['0-4', '4-8'])
  expect(merkleShape(1)).toEqual({ from: 0, to: 1, children: null })
})

it('draws every leaf in order, and folded parts in place of theirs', () => {
  const whole = layTree(5, () => false).placed.filter(({ node }) => node.children === null)
  expect(whole.map(({ node }) => node.from)).toEqual([0, 1, 2, 3, 4])
  expect(whole.every(({ x }, place) => place === 0 || x > (whole[place - 1]?.x ?? 0))).toBe(true)

  const { placed } = layTree(40, ({ from, to }) => to - from <= 8)
  expect(placed.filter(({ folded }) => folded).map(({ key }) => key)).toEqual([
    '0-8',
    '8-16',
    '16-24',
    '24-32',
    '32-40',
  ])
})
