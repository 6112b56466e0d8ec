import { hex } from '../../canon/digest.ts'
import type { AuditKey } from '../../contract/action/audit-log.ts'
import type { TrustedKey } from './trusted-keys.ts'
import { formatVkey, type VerifierKey } from './verifier-key.ts'

type Status = AuditKey['status']

const worstFirst: readonly Status[] = ['compromised', 'retired', 'active', 'next']

/** What the auditor was told of a key: the worst of all lists that were given; null where it was given without one. */
export function statusOf(key: VerifierKey, trusted: readonly TrustedKey[]): Status | null {
  const vkey = formatVkey(key)
  const told = trusted.filter(one => formatVkey(one) === vkey).map(({ status }) => status)
  return worstFirst.find(status => told.includes(status)) ?? null
}

/** Whether somebody else may have made every one of these signatures. */
export function areCompromised(signers: readonly VerifierKey[], trusted: readonly TrustedKey[]): boolean {
  return signers.length > 0 && signers.every(key => statusOf(key, trusted) === 'compromised')
}

/** Each key once, with its status: `gate.example.org+1a2b3c4d (active)`. */
export function describeKeys(keys: readonly VerifierKey[], trusted: readonly TrustedKey[]): string {
  const described = keys.map(key => {
    const status = statusOf(key, trusted)
    return `${key.name}+${hex(key.id)} (${status ?? 'given without a status'})`
  })
  return [...new Set(described)].join(', ')
}
