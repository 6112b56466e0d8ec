import fc from 'fast-check'
import { expect, it } from 'vitest'
import { growTree, type Row } from '../../../shared/audit/merkle/growing-tree.ts'
import { leafHash, merkleRoot } from '../../../shared/audit/merkle/merkle.ts'
import { newNodes } from '../../../shared/audit/merkle/tree-nodes.ts'

const leaves = Array.from({ length: 300 }, (_, at) => leafHash(`leaf ${at}`))

/** What was appended in parts of these sizes, stopped and gone on with between any two. */
function grown(parts: readonly number[]) {
  const rows: Row[] = []
  let tree = growTree()
  for (const part of parts) {
    const from = tree.size()
    rows.push(...tree.append(Buffer.concat(leaves.slice(from, from + part))))
    tree = growTree(tree.size(), tree.edge())
  }
  return { tree, rows }
}

it('has the root of all of its leaves at every size', () => {
  for (let size = 0; size <= leaves.length; size += 1)
    expect(grown([size]).tree.root()).toEqual(merkleRoot(leaves.slice(0, size)))
})

it('gives each complete subtree once and the same root, in whatever parts it grows', () => {
  const parts = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 7 })
  fc.assert(
    fc.property(parts, sizes => {
      const { tree, rows } = grown(sizes)
      const given = rows.flatMap(({ level, start, hashes }) =>
        Array.from({ length: hashes.length / 32 }, (_, at) => ({
          level,
          index: start + at,
          hash: Buffer.from(hashes.subarray(at * 32, at * 32 + 32)),
        })),
      )
      const whole = leaves.slice(0, tree.size())
      const order = (node: { level: number; index: number }) => node.level * 1000 + node.index
      const sorted = <Node extends { level: number; index: number }>(nodes: Node[]) =>
        nodes.sort((one, other) => order(one) - order(other))
      expect(sorted(given)).toEqual(sorted(newNodes(0, whole, () => Buffer.alloc(32))))
      expect(tree.root()).toEqual(merkleRoot(whole))
    }),
  )
})

it('refuses an edge that is none of a tree of that size, and half a leaf', () => {
  expect(() => growTree(3, [leaves[0] ?? ''] as Buffer[])).toThrow(RangeError)
  expect(() => growTree(1, [Buffer.alloc(31)])).toThrow(RangeError)
  expect(() => growTree().append(Buffer.alloc(33))).toThrow(RangeError)
})
