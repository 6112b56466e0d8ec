import type { AuditExport } from '../../../../shared/contract/action/action.ts'
import type { AuditKeyList } from '../../../../shared/contract/action/audit-log.ts'
import type * as Verifier from '../../audit-verifier.ts'
import { basePath } from '../base-path.ts'

export type Trust = { from: 'service'; keys: AuditKeyList } | { from: 'person'; vkeys: string }

export type Verified =
  | { ok: true; verification: Verifier.Verification; exported: AuditExport }
  | { ok: false; problem: string }

const place = `${basePath}/ui/audit-verifier.js`

/**
 * Verifies an audit export in this browser without a network. Runs `service-audit-verify`, the verifier that
 * auditors use, as a module. Throws if the module cannot be loaded.
 */
export async function verifyHere(exported: AuditExport, trust: Trust): Promise<Verified> {
  const verifier = (await import(/* @vite-ignore */ place)) as typeof Verifier
  const trusted = verifier.readTrustedKeys(
    trust.from === 'service' ? JSON.stringify(trust.keys) : trust.vkeys,
  )
  if (!trusted.ok) return { ok: false, problem: trusted.error }
  const bytes = new TextEncoder().encode(JSON.stringify(exported))
  return { ok: true, verification: verifier.verifyExport(bytes, { trusted: trusted.value }), exported }
}
