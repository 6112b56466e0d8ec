import { describe, expect, it } from 'vitest'
import { leafHash, merkleRoot } from '../../../shared/audit/merkle/merkle.ts'
import { consistencyProof, inclusionProof } from '../../../shared/audit/merkle/proofs.ts'
import { newNodes } from '../../../shared/audit/merkle/tree-nodes.ts'
import { verifyConsistency, verifyInclusion } from '../../../shared/audit/merkle/verify-proofs.ts'
import { readVector } from '../../support/audit/published-vectors.ts'

interface InclusionVector {
  leafIdx: number
  treeSize: number
  leafHash: string | null
  proof: (string | null)[] | null
  root: string | null
  wantErr: boolean
}

interface ConsistencyVector {
  size1: number
  size2: number
  root1: string | null
  root2: string | null
  proof: (string | null)[] | null
  wantErr: boolean
  strict32?: unknown
}

describe('published proofs', () => {
  it('inclusion: 6 hold and 92 do not', () => {
    const vectors: InclusionVector[] = JSON.parse(readVector('merkle-rfc6962/inclusion.json'))
    expect(vectors).toHaveLength(98)
    const wrong = vectors.filter(vector => {
      const { leafIdx: index, treeSize: size, proof } = vector
      const claim = { index, size, leafHash: decode(vector.leafHash), root: decode(vector.root) }
      return verifyInclusion({ ...claim, proof: (proof ?? []).map(decode) }) === vector.wantErr
    })
    expect(wrong).toEqual([])
  })

  it('consistency: 6 hold and 92 do not', () => {
    const vectors: ConsistencyVector[] = JSON.parse(readVector('merkle-rfc6962/consistency.json'))
    expect(vectors).toHaveLength(98)
    const wrong = vectors.filter(vector => {
      const { size1: oldSize, size2: size, proof } = vector
      const claim = { oldSize, size, oldRoot: decode(vector.root1), root: decode(vector.root2) }
      const holds = verifyConsistency({ ...claim, proof: (proof ?? []).map(decode) })
      return holds === (vector.wantErr || vector.strict32 !== undefined)
    })
    expect(wrong).toEqual([])
  })

  it('those of a Certificate Transparency log of 961,984,013 entries hold', () => {
    const log = JSON.parse(readVector('tlog/ct-argon2020.json'))
    const root = decode(log.root_b64)
    const size = log.tree_size
    const inclusion = {
      index: log.leaf_index,
      size,
      leafHash: leafHash(decode(log.leaf_input_b64)),
      proof: log.audit_path_b64.map(decode),
      root,
    }
    const consistency = {
      oldSize: log.old_size,
      size,
      oldRoot: decode(log.old_root_b64),
      root,
      proof: log.consistency_b64.map(decode),
    }
    expect(verifyInclusion(inclusion)).toBe(true)
    expect(verifyInclusion({ ...inclusion, index: inclusion.index + 1 })).toBe(false)
    expect(verifyConsistency(consistency)).toBe(true)
    expect(verifyConsistency({ ...consistency, oldSize: consistency.oldSize - 1 })).toBe(false)
  })

  it('all pairs of sizes of the golden log are consistent, every leaf is included', () => {
    const log = JSON.parse(readVector('tlog/tessera-golden-log.json'))
    const leaves: Buffer[] = log.leaves_b64.map((leaf: string) => leafHash(decode(leaf)))
    const nodes = newNodes(0, leaves, () => Buffer.alloc(0))
    const hashOf = (ref: { level: number; index: number }) =>
      nodes.find(({ level, index }) => level === ref.level && index === ref.index)?.hash ?? Buffer.alloc(0)
    const roots: Buffer[] = log.checkpoints_b64.map((note: string) =>
      decode(decode(note).toString().split('\n')[2] ?? ''),
    )
    expect(roots).toEqual(Array.from({ length: 16 }, (_, size) => merkleRoot(leaves.slice(0, size))))
    let pairs = 0
    for (let size = 1; size <= 15; size++) {
      const root = roots[size] as Buffer
      for (let oldSize = 1; oldSize <= size; oldSize++) {
        const proof = consistencyProof(oldSize, size, hashOf)
        const oldRoot = roots[oldSize] as Buffer
        expect(verifyConsistency({ oldSize, size, oldRoot, root, proof })).toBe(true)
        const inclusion = inclusionProof(oldSize - 1, size, hashOf)
        const leaf = leaves[oldSize - 1] as Buffer
        expect(verifyInclusion({ index: oldSize - 1, size, leafHash: leaf, proof: inclusion, root })).toBe(
          true,
        )
        pairs += 1
      }
    }
    expect(pairs).toBe(120)
  })
})

function decode(base64: string | null): Buffer {
  return Buffer.from(base64 ?? '', 'base64')
}
