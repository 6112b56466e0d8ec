import type { AuditExport } from '../../contract/action/action.ts'
import type { TlogProofs } from '../../contract/action/audit-log.ts'
import { formatTlogProof } from './tlog-proof.ts'

/** The proofs of an export, each as the file that other programs read; none while the log has not taken up every event. */
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
