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
 * Commits an event to its payload with 32 random bytes that are stored beside it, as lower-case hex. The payload
 * can be erased while every proof stays valid, and a short payload cannot be guessed from the event.
 */
export function payloadCommit(salt: Uint8Array, payloadCanonical: string): string {
  if (salt.length !== 32) throw new RangeError('the salt of a payload has 32 bytes')
  return hmacSha256(salt, 'ags-payload/v1\n', payloadCanonical)
}

/**
 * Returns `sha256:<hex>` over "ags-export/v1
 * " and the RFC 8785 text of an export without its `digest`. No signature covers a whole export, so this digest
 * detects damage, while signatures and proofs detect forgery.
 */
export function exportDigest(exported: Omit<AuditExport, 'digest'>): string {
  const { digest: _, ...rest } = exported as AuditExport
  return prefixedHex(sha256(`ags-export/v1\n${canonicalJson(rest as unknown as JsonValue)}`))
}
