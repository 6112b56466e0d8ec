import { parseCheckpoint } from '../audit/checkpoint.ts'
import { consistencyProof, inclusionProof, nodesForConsistency, nodesForInclusion } from '../audit/proofs.ts'
import { parseNote } from '../audit/signed-note.ts'
import type { NodeRef } from '../audit/tree-nodes.ts'
import { ServiceError } from '../contract/errors.ts'
import { type LogNode, readNodes } from '../store/log.ts'
import type { Reader, Writer } from '../store/open.ts'

/** Inclusion proofs of leaves under the log's first `size` leaves, as base64; one look at the stored subtrees for all. */
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

/** That the log of `size` leaves continues the one of `fromSize`. */
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

/** First line of a checkpoint that the service itself has signed. */
export function originOf(note: string): string {
  const parsed = parseNote(note)
  const checkpoint = parsed.ok ? parseCheckpoint(parsed.value.text) : parsed
  if (!checkpoint.ok) throw new Error('a stored checkpoint is none')
  return checkpoint.value.origin
}

/** Hashes of complete subtrees of a tenant's log, read at once. */
export async function storedHashes(
  reader: Reader | Writer,
  tenant_id: string,
  refs: readonly NodeRef[],
): Promise<(ref: NodeRef) => Buffer> {
  const key = ({ level, index }: NodeRef): string => `${level}/${index}`
  const distinct = [...new Map(refs.map(ref => [key(ref), { tenant_id, ...ref }])).values()]
  const hashes = new Map((await readNodes(reader, distinct)).map((node: LogNode) => [key(node), node.hash]))
  return ref => {
    const hash = hashes.get(key(ref))
    if (!hash) throw new Error(`the log of ${tenant_id} has no subtree ${key(ref)}`)
    return hash
  }
}

function base64(hash: Buffer): string {
  return hash.toString('base64')
}
