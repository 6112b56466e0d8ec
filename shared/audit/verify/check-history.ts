import { verifyConsistency } from '../merkle/verify-proofs.ts'
import type { SignedCheckpoint } from '../note/checkpoint.ts'
import { decodeHashes } from './read-export.ts'
import { type Finding, failed, notProven, type OpenedExport, proven } from './verification.ts'

/**
 * Checks that the log continues that of the auditor's older checkpoint. Returns null if there is nothing to check.
 */
export function checkHistory({ exported, checkpoint, older }: OpenedExport): Finding | null {
  const claim = exported.consistency
  if (checkpoint === null)
    return older && notProven('without a checkpoint in the file nothing can be compared')
  if (claim !== undefined) {
    const problem = shapeProblem(claim, checkpoint.size)
    if (problem !== null) return failed(problem)
  }
  if (older === null) return null
  if (older.origin !== checkpoint.origin)
    return failed(`the older checkpoint is of ${older.origin}, and the file of ${checkpoint.origin}`)
  if (older.size > checkpoint.size)
    return failed(
      `the log had ${older.size} entries, and has ${checkpoint.size}: it was cut, or the file is stale`,
    )
  if (older.size === checkpoint.size) return sameSize(checkpoint, older)
  if (older.size === 0) return proven('the older log was empty: every log continues it')
  if (claim === undefined || claim.from_size !== older.size)
    return notProven(
      `the file has no proof from ${older.size} entries: take the export with ?from_size=${older.size}`,
    )
  const proof = decodeHashes(claim.proof) ?? []
  const claimed = { oldSize: older.size, size: checkpoint.size, oldRoot: older.root, root: checkpoint.root }
  return verifyConsistency({ ...claimed, proof })
    ? proven(`the log of ${checkpoint.size} entries continues the one of ${older.size} that was kept`)
    : failed(
        `the proof does not show that the log of ${checkpoint.size} entries continues the one of ${older.size}`,
      )
}

function shapeProblem(
  { from_size, proof }: { from_size: number; proof: string[] },
  size: number,
): string | null {
  if (from_size > size) return `a consistency proof from ${from_size} entries, and the log has ${size}`
  const needsNone = from_size === 0 || from_size === size
  if (needsNone && proof.length > 0)
    return `a consistency proof from ${from_size} to ${size} entries, where none is needed, is not empty`
  if (!needsNone && proof.length === 0)
    return `the consistency proof from ${from_size} to ${size} entries is empty`
  return null
}

/**
 * Compares two checkpoints of the same size. Different roots prove that the log was forked, because the signer
 * confirmed both.
 */
function sameSize(checkpoint: SignedCheckpoint, older: SignedCheckpoint): Finding {
  if (older.root.equals(checkpoint.root)) return proven('the log is the one whose checkpoint was kept')
  const [kept, given] = [older, checkpoint].map(({ root }) => root.toString('base64'))
  return failed(
    `the log was forked: at ${older.size} entries the kept checkpoint has the root ${kept}, the file's ${given}`,
  )
}
