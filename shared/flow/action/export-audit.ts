import { setTimeout as delay } from 'node:timers/promises'
import { exportDigest } from '../../audit/event/audit-bytes.ts'
import { checkTrace } from '../../audit/event/check-trace.ts'
import { exportProofs } from '../../audit/merkle/tlog-proof.ts'
import { prefixedHex } from '../../canon/digest.ts'
import type { AuditExport } from '../../contract/action/action.ts'
import type { TlogProofs } from '../../contract/action/audit-log.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { monotonicMs, wallTimeMs } from '../../runtime/clock.ts'
import { readAction, type StoredAction } from '../../store/action/actions.ts'
import { readCheckpoint, readCursors, readStatement } from '../../store/log/log-reads.ts'
import type { Reader } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import { originOf, proveConsistency, proveInclusion } from '../log/log-proofs.ts'
import { readAuditKeys } from '../log/read-log.ts'

const integrationMsMax = 3_000
const lookMs = 50

export interface WantedExport {
  tenant_id: string
  action_id: string
  /** The size of a checkpoint that the caller keeps; the export proves that the log continues it. */
  from_size: number | null
}

/**
 * Exports the audit record of an action with its proofs (specification.md#audit-export). The service verifies it
 * before sending, so that a trace that does not reproduce its own root fails here and not at the auditor. The
 * export waits up to 3 s for the latest events if the log or their signature is still to come.
 */
export async function exportAudit(context: Context, wanted: WantedExport): Promise<AuditExport> {
  const patience = monotonicMs() + integrationMsMax
  for (;;) {
    const exported_at = new Date(wallTimeMs()).toISOString()
    const read = await context.store.read([wanted.tenant_id], reader => readProved(reader, wanted))
    const isComplete = read.statement !== null && !('pending' in read.log)
    if (isComplete || !read.comes || monotonicMs() > patience) {
      const { keys } = await readAuditKeys(context, { tenant_id: wanted.tenant_id })
      return seal({ ...assemble({ ...read, comes: read.comes && keys.length > 0 }, exported_at), keys })
    }
    await delay(lookMs)
  }
}

/** Returns only the proofs of an export, as files that other programs read (C2SP tlog-proof). */
export async function exportLogProofs(context: Context, wanted: WantedExport): Promise<TlogProofs> {
  return exportProofs(await exportAudit(context, wanted))
}

type Proofs = Pick<AuditExport, 'statement' | 'log' | 'consistency'>

interface Proved extends Proofs {
  stored: StoredAction
  comes: boolean
}

async function readProved(
  reader: Reader,
  { tenant_id, action_id, from_size }: WantedExport,
): Promise<Proved> {
  const stored = await readAction(reader, tenant_id, action_id)
  if (!stored) throw new ServiceError('action_not_found', `no action ${action_id}`)
  const { note: statement, comes } = await readStatement(reader, action_id, stored.event_count)
  const checkpoint = await readCheckpoint(reader, tenant_id)
  const places = await readCursors(reader, tenant_id, action_id)
  const isLogged = places.length === stored.event_count
  if (!checkpoint || !isLogged || places.some(place => place >= checkpoint.size)) {
    return { stored, statement, log: { pending: true }, comes: comes || !isLogged || checkpoint !== null }
  }
  const { size, note } = checkpoint
  const entries = await proveInclusion(reader, tenant_id, size, places)
  const log = { origin: originOf(note), checkpoint: note, entries }
  if (from_size === null) return { stored, statement, log, comes }
  const proof = await proveConsistency(reader, tenant_id, from_size, size)
  return { stored, statement, log, comes, consistency: { from_size, proof } }
}

function seal(exported: Omit<AuditExport, 'digest'>): AuditExport {
  return { ...exported, digest: exportDigest(exported) }
}

/** `exported_at` is read before the snapshot, so that the export never claims to contain later events. */
function assemble(
  { stored, comes, ...proofs }: Proved,
  exported_at: string,
): Omit<AuditExport, 'keys' | 'digest'> {
  const { tenant_id, action_id } = stored
  const events = stored.events.map(({ event, payload, salt }) => ({
    event,
    salt,
    payload: payload === null ? null : (JSON.parse(payload) as JsonObject),
  }))
  const audit_root = prefixedHex(stored.audit_root)
  const checked = checkTrace(events, tenant_id, action_id)
  if (!checked.ok) throw new Error(`audit of ${action_id}, event ${checked.sequence}: ${checked.problem}`)
  if (checked.root !== audit_root)
    throw new Error(`audit of ${action_id}: the stored root is not that of its events`)
  return {
    integrity_version: proofs.statement === null && !comes ? 'canonical-unsigned-v1' : 'canonical-signed-v1',
    tenant_id,
    action_id,
    exported_at,
    events,
    audit_root,
    ...proofs,
  }
}
