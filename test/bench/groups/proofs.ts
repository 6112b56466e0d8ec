import { leafHash } from '../../../shared/audit/merkle/merkle.ts'
import { consistencyProof, inclusionProof, rootOf } from '../../../shared/audit/merkle/proofs.ts'
import type { NodeRef } from '../../../shared/audit/merkle/tree-nodes.ts'
import { verifyConsistency, verifyInclusion } from '../../../shared/audit/merkle/verify-proofs.ts'
import { sha256 } from '../../../shared/canon/digest.ts'
import type { BenchOptions } from '../bench.ts'
import { timeCode } from '../setup/time-code.ts'

const sizes = [1_000, 100_000, 10_000_000]

/**
 * Making and checking proofs in logs of growing size, in CPU time: the complete subtrees are simulated, each a hash that
 * its place gives, so that reading them is left out.
 */
export async function benchProofs({ emit, quick }: BenchOptions): Promise<void> {
  const rounds = quick ? 20 : 200
  for (const size of sizes) {
    const { made } = timeCode({ made: () => prove(size) }, rounds)
    emit({ bench: 'proofs', figure: `made_of_${size}_leaves`, value: made / 1000, unit: 'us/pair' })
  }
  const { checked, hashes } = realTree(4_096)
  const took = timeCode({ checked, bare: () => hashes.map(sha256) }, rounds)
  emit({
    bench: 'proofs',
    figure: 'checked_in_4096_leaves',
    value: took.checked / 1000,
    unit: 'us/pair',
    floor: took.bare / 1000,
    ratio: took.checked / took.bare,
    detail: { floor_is: 'as many bare hashes of 65 bytes' },
  })
}

let at = 0

/** One inclusion and one consistency proof at places that move. */
function prove(size: number): void {
  at = (at + 7_919) % (size - 1)
  inclusionProof(at, size, simulated)
  consistencyProof(at + 1, size, simulated)
}

const cell = sha256('a subtree')

function simulated(_: NodeRef): Buffer {
  return cell
}

/** A tree whose proofs hold, and as many inputs as checking them hashes. */
function realTree(size: number): { checked(): void; hashes: Buffer[] } {
  const leaves = Array.from({ length: size }, (_, index) => leafHash(String(index)))
  const levels = [leaves]
  for (let level = leaves; level.length > 1; ) {
    level = Array.from({ length: level.length / 2 }, (_, index) =>
      sha256(Buffer.concat([Buffer.of(1), level[2 * index] ?? cell, level[2 * index + 1] ?? cell])),
    )
    levels.push(level)
  }
  const hashOf = ({ level, index }: NodeRef): Buffer => levels[level]?.[index] ?? cell
  const root = rootOf(size, hashOf)
  const [index, oldSize] = [1_234, 3_333]
  const proof = inclusionProof(index, size, hashOf)
  const grown = consistencyProof(oldSize, size, hashOf)
  const oldRoot = rootOf(oldSize, hashOf)
  return {
    hashes: Array.from({ length: proof.length + 2 * grown.length }, () => Buffer.alloc(65, 1)),
    checked() {
      const holds =
        verifyInclusion({ index, size, leafHash: leaves[index] ?? cell, proof, root }) &&
        verifyConsistency({ oldSize, size, oldRoot, root, proof: grown })
      if (!holds) throw new Error('a proof of the benchmark does not hold')
    },
  }
}
