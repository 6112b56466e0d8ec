import { canonicalJson } from '../../canon/canonical-json.ts'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import type { AuditExport } from '../../contract/action/action.ts'
import type { JsonValue } from '../../contract/base/json.ts'

/**
 * `sha256:<hex>` over "ags-export/v1\n" and the RFC 8785 text of an export without its `digest`. No signature covers the
 * whole of an export; this tells a file that was damaged, where signatures and proofs tell one that was forged.
 */
export function exportDigest(exported: Omit<AuditExport, 'digest'>): string {
  const { digest: _, ...rest } = exported as AuditExport
  return prefixedHex(sha256(`ags-export/v1\n${canonicalJson(rest as unknown as JsonValue)}`))
}
