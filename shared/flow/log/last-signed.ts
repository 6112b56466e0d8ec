import { merkleRoot } from '../../audit/merkle/merkle.ts'
import { openCheckpoint } from '../../audit/note/checkpoint.ts'
import { type VerifierKey, verifierKey } from '../../audit/note/verifier-key.ts'
import { importPublicKey } from '../../canon/ed25519.ts'
import type { SignedLog, SignedLogs } from '../../runtime/secrets/signed-logs.ts'
import type { UnsignedLog } from '../../store/log/log-signing.ts'
import { readCheckpointsAt } from '../../store/log/log-to-sign.ts'
import { readSigningKeys } from '../../store/log/signing-keys.ts'
import type { Writer } from '../../store/postgres/open.ts'

/**
 * Returns the last signed state of each log by tenant: from the journal, or else from the database's checkpoint if
 * a key of the service signed it. A log that was never signed counts as empty, and one with neither source is left
 * out.
 */
export async function lastSigned(
  writer: Writer,
  signed: SignedLogs,
  logs: readonly UnsignedLog[],
): Promise<ReadonlyMap<string, SignedLog>> {
  const found = new Map<string, SignedLog>()
  const unknown: UnsignedLog[] = []
  for (const log of logs) {
    const { tenant_id, log_id, signed_size } = log
    const last = signed.last(log_id)
    if (last) found.set(tenant_id, last)
    else if (signed_size === 0) found.set(tenant_id, { log_id, size: 0, root: merkleRoot([]) })
    else unknown.push(log)
  }
  if (unknown.length === 0) return found
  const keys = await knownKeys(writer)
  const notes = new Map(
    (await readCheckpointsAt(writer, unknown)).map(({ tenant_id, note }) => [tenant_id, note]),
  )
  for (const log of unknown) {
    const last = signedIn(log, notes.get(log.tenant_id) ?? '', keys)
    if (last) found.set(log.tenant_id, last)
  }
  return found
}

function signedIn(
  { log_id, signed_size }: UnsignedLog,
  note: string,
  keys: readonly VerifierKey[],
): SignedLog | null {
  const opened = openCheckpoint(note, keys)
  if (!opened.ok) return null
  const { origin, size, root } = opened.value
  return origin.endsWith(`/log/${log_id}`) && size === signed_size ? { log_id, size, root } : null
}

async function knownKeys(writer: Writer): Promise<VerifierKey[]> {
  const { keys } = await readSigningKeys(writer, null)
  return keys.flatMap(({ name, public_key }) => {
    const key = importPublicKey(public_key)
    return key ? [verifierKey(name, key)] : []
  })
}
