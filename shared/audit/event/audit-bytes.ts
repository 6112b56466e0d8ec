import { canonicalJson } from '../../canon/canonical-json.ts'
import { hmacSha256, prefixedHex, sha256 } from '../../canon/digest.ts'
import type { AuditExport } from '../../contract/action/action.ts'
import type { AuditEvent } from '../../contract/action/audit.ts'
import type { JsonValue } from '../../contract/base/json.ts'

export { leafHash } from '../merkle/merkle.ts'

/** Returns the bytes of an event (specification.md#audit-bytes): the RFC 8785 text of exactly these members. */
export function eventText(event: AuditEvent): string {
  const { at, kind, payload_commit, prev, principal, sequence, stream, tenant_id, v } = event
  const { id } = principal
  return canonicalJson({
    at,
    kind,
    payload_commit,
    prev,
    principal: { id, kind: principal.kind },
    sequence,
    stream,
    tenant_id,
    v,
  })
}

/**
 * Returns the hash by which an event commits to its payload, as lower-case hex. It includes 32 random bytes that
 * are stored beside the payload, so that nobody can guess a short payload from the event. The payload can be
 * erased, because proofs need only the hash.
 */
export function payloadCommit(salt: Uint8Array, payloadCanonical: string): string {
  if (salt.length !== 32) throw new RangeError('the salt of a payload has 32 bytes')
  return hmacSha256(salt, 'ags-payload/v1\n', payloadCanonical)
}

/**
 * Returns `sha256:<hex>` over "ags-export/v1\n" and the RFC 8785 text of an export without its `digest`. This
 * digest reveals damage to the file. Forgery is revealed by signatures and proofs, but none of them covers the
 * whole export.
 */
export function exportDigest(exported: Omit<AuditExport, 'digest'>): string {
  const { digest: _, ...rest } = exported as AuditExport
  return prefixedHex(sha256(`ags-export/v1\n${canonicalJson(rest as unknown as JsonValue)}`))
}
