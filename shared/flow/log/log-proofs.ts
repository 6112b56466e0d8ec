import {
  consistencyProof,
  inclusionProof,
  nodesForConsistency,
  nodesForInclusion,
} from '../../audit/merkle/proofs.ts'
import type { HashOf, NodeRef } from '../../audit/merkle/tree-nodes.ts'
import { parseCheckpoint } from '../../audit/note/checkpoint.ts'
import { parseNote } from '../../audit/note/signed-note.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { type LogNode, readNodes } from '../../store/log/log.ts'
import type { Reader } from '../../store/postgres/open.ts'

/**
 * Returns base64 inclusion proofs of leaves in the log's first `size` leaves; one query reads the subtrees of all.
 */
export async function proveInclusion(
  reader: Reader,
  tenantId: string,
  size: number,
  places: readonly number[],
): Promise<{ index: number; proof: string[] }[]> {
  const hashOf = await storedHashes(
    reader,
    tenantId,
    places.flatMap(index => nodesForInclusion(index, size)),
  )
  return places.map(index => ({ index, proof: inclusionProof(index, size, hashOf).map(base64) }))
}

/** Proves that the log of `size` leaves continues the one of `fromSize`. */
export async function proveConsistency(
  reader: Reader,
  tenantId: string,
  fromSize: number,
  size: number,
): Promise<string[]> {
  if (fromSize > size) {
    const issue = { path: 'from_size', code: 'beyond_the_log', message: `the log has ${size} entries` }
    throw new ServiceError('validation_failed', 'the log is shorter than that', [issue])
  }
  const hashOf = await storedHashes(reader, tenantId, nodesForConsistency(fromSize, size))
  return consistencyProof(fromSize, size, hashOf).map(base64)
}

export function originOf(note: string): string {
  const parsed = parseNote(note)
  const checkpoint = parsed.ok ? parseCheckpoint(parsed.value.text) : parsed
  if (!checkpoint.ok) throw new Error('a stored checkpoint is none')
  return checkpoint.value.origin
}

async function storedHashes(reader: Reader, tenant_id: string, refs: readonly NodeRef[]): Promise<HashOf> {
  const distinct = [...new Map(refs.map(ref => [place(ref), { tenant_id, ...ref }])).values()]
  return hashAmong(tenant_id, await readNodes(reader, distinct))
}

/** Returns the hash of one of these subtrees; throws an Error for any other. */
export function hashAmong(tenantId: string, nodes: readonly LogNode[]): HashOf {
  const hashes = new Map(nodes.map(node => [place(node), node.hash]))
  return ref => {
    const hash = hashes.get(place(ref))
    if (!hash) throw new Error(`the log of ${tenantId} has no subtree ${place(ref)}`)
    return hash
  }
}

function place({ level, index }: NodeRef): string {
  return `${level}/${index}`
}

function base64(hash: Buffer): string {
  return hash.toString('base64')
}
