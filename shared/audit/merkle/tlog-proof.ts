import { decodeBase64, parseDecimal } from '../../canon/spelling.ts'
import type { AuditExport } from '../../contract/action/action.ts'
import type { TlogProofs } from '../../contract/action/audit-log.ts'
import { ok, type Result, refused } from '../../result.ts'
import { openCheckpoint, type SignedCheckpoint } from '../note/checkpoint.ts'
import type { VerifierKey } from '../note/verifier-key.ts'
import { verifyInclusion } from './verify-proofs.ts'

/** A file that proves a leaf to be in a log (C2SP tlog-proof); `checkpoint` is the signed note. */
export interface TlogProof {
  extra: Buffer | null
  index: number
  proof: Buffer[]
  checkpoint: string
}

export function formatTlogProof({ extra, index, proof, checkpoint }: TlogProof): string {
  const head = extra === null ? [header] : [header, `extra ${extra.toString('base64')}`]
  const hashes = proof.map(hash => hash.toString('base64'))
  return `${[...head, `index ${index}`, ...hashes].join('\n')}\n\n${checkpoint}`
}

/** Parses a proof, or returns the problem with its form. Only `verifyTlogProof` checks that the proof is true. */
export function parseTlogProof(text: string): Result<TlogProof, string> {
  const blank = text.indexOf('\n\n')
  if (blank === -1) return refused('no blank line stands before the checkpoint')
  const [first, ...lines] = text.slice(0, blank).split('\n')
  if (first !== header) return refused(`the first line is not ${header}`)
  const extra = readExtra(lines)
  if (extra === undefined) return refused('the extra data is not in canonical base64')
  const index = parseDecimal(/^index (.*)$/.exec(lines.shift() ?? '')?.[1] ?? '')
  if (index === null) return refused('there is no line "index N" with a plain number')
  const hashes = lines.map(decodeBase64)
  const proof = hashes.filter(hash => hash?.length === 32) as Buffer[]
  if (proof.length < hashes.length) return refused('a hash is not 32 bytes in canonical base64')
  if (proof.length > hashesMax) return refused(`there are more than ${hashesMax} hashes`)
  return ok({ extra, index, proof, checkpoint: text.slice(blank + 2) })
}

/**
 * Verifies a proof for a leaf and the log `origin`. Returns the signed checkpoint of the proof, or the problem.
 */
export function verifyTlogProof(
  { index, proof, checkpoint }: TlogProof,
  leafHash: Uint8Array,
  { trusted, origin }: { trusted: readonly VerifierKey[]; origin: string },
): Result<SignedCheckpoint, string> {
  const signed = openCheckpoint(checkpoint, trusted)
  if (!signed.ok) return signed
  if (signed.value.origin !== origin) return refused(`the checkpoint is of ${signed.value.origin}`)
  const { size, root } = signed.value
  const included = verifyInclusion({ index, size, leafHash, proof, root })
  return included ? signed : refused('the proof does not lead from the leaf to the root')
}

function readExtra(lines: string[]): Buffer | null | undefined {
  if (!lines[0]?.startsWith('extra ')) return null
  return decodeBase64((lines.shift() ?? '').slice('extra '.length)) ?? undefined
}

const header = 'c2sp.org/tlog-proof@v1'
const hashesMax = 63

/** Returns the proofs of an export as files for other programs. Returns none until the log has all events. */
export function exportProofs({ tenant_id, action_id, events, log }: AuditExport): TlogProofs {
  if ('pending' in log) return { tenant_id, action_id, origin: null, proofs: [] }
  const { origin, checkpoint, entries } = log
  const proofs = entries.map(({ index, proof }, sequence) => {
    const hashes = proof.map(hash => Buffer.from(hash, 'base64'))
    const file = formatTlogProof({ extra: null, index, proof: hashes, checkpoint })
    return { sequence, event: events[sequence]?.event ?? '', proof: file }
  })
  return { tenant_id, action_id, origin, proofs }
}
