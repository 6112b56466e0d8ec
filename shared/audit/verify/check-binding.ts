import { prefixedHex } from '../../canon/digest.ts'
import { placeProblem } from '../event/check-trace.ts'
import { merkleRoot } from '../merkle/merkle.ts'
import { verifyInclusion } from '../merkle/verify-proofs.ts'
import { logOrigin, statementOrigin } from '../note/checkpoint.ts'
import { decodeHashes } from './read-export.ts'
import { type Finding, failed, notProven, type OpenedExport, proven } from './verification.ts'

export function checkEvents({ exported, events, leaves }: OpenedExport): Finding {
  const { tenant_id: tenantId, action_id } = exported
  const stream = `action/${action_id}`
  for (const [sequence, event] of events.entries()) {
    const problem = placeProblem(event, { tenantId, stream, sequence, prior: leaves[sequence - 1] })
    if (problem !== null) return failed(`event ${sequence}: ${problem}`)
  }
  if (exported.audit_root !== prefixedHex(merkleRoot(leaves)))
    return failed('audit_root is not the root of the events')
  return proven(`${events.length} events of ${action_id}, in order and each bound to the one before`)
}

/** Checks that the signed statement names this action, its number of events, and their root. */
export function checkStatement({ exported, leaves, statement }: OpenedExport): Finding {
  if (statement === null) return notProven('no signed statement vouches for the root')
  const { tenant_id, action_id } = exported
  const { origin, size, root } = statement
  if (!statement.signers.some(({ name }) => origin === statementOrigin(name, tenant_id, action_id)))
    return failed(`the statement is about ${origin}, and not about ${action_id} of ${tenant_id}`)
  if (size !== leaves.length)
    return failed(`the statement is about ${size} events, and the file has ${leaves.length}`)
  if (!root.equals(merkleRoot(leaves))) return failed('the root in the statement is not that of the events')
  return proven(`the signed statement gives these ${size} events and their root`)
}

/** Checks that the tenant's log contains every event, by proofs against the signed checkpoint. */
export function checkLog(opened: OpenedExport, wantedOrigin: string | undefined): Finding {
  const { exported, checkpoint, leaves } = opened
  const { log } = exported
  if (checkpoint === null || !('entries' in log))
    return notProven('the events are not in the log yet: take the export again later')
  const { origin, size } = checkpoint
  if (!checkpoint.signers.some(({ name }) => origin.startsWith(logOrigin(name, ''))))
    return failed(`the checkpoint is of ${origin}, which is no log of its signer`)
  if (log.origin !== origin)
    return failed(`the file names the log ${log.origin}, and its checkpoint ${origin}`)
  if (wantedOrigin !== undefined && origin !== wantedOrigin)
    return failed(`the log is ${origin}, and not ${wantedOrigin}`)
  if (log.entries.length !== leaves.length)
    return failed(`the file has ${leaves.length} events and ${log.entries.length} log entries`)
  const problem = entryProblem(opened, log.entries)
  if (problem !== null) return failed(problem)
  return proven(`every event is in the log ${origin} of ${size} entries, under its signed checkpoint`)
}

function entryProblem(
  { checkpoint, leaves }: OpenedExport,
  entries: readonly { index: number; proof: string[] }[],
): string | null {
  const { size = 0, root = Buffer.alloc(0) } = checkpoint ?? {}
  let prior = -1
  for (const [place, { index, proof }] of entries.entries()) {
    if (index >= size) return `event ${place}: its index ${index} is not in a log of ${size} entries`
    if (index <= prior) return `event ${place}: its index ${index} does not follow ${prior}`
    const hashes = decodeHashes(proof)
    const leafHash = leaves[place] ?? Buffer.alloc(0)
    if (hashes === null || !verifyInclusion({ index, size, leafHash, proof: hashes, root }))
      return `event ${place}: its proof does not lead from the event at ${index} to the root of the checkpoint`
    prior = index
  }
  return null
}
