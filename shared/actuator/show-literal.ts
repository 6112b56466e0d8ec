import { prefixedHex, sha256 } from '../canon/digest.ts'

/** What stands for a literal under the name of a credential; null: the literal may be shown. */
export type ShowLiteral = (name: string, literal: string) => { hidden: string } | null

const credentialName = /auth|cookie|credential|key|passw|secret|session|signature|token/i
const placeholder = /[{}]/

/**
 * Registrations name their secrets by reference. One that was written into a template all the same is bound by its digest,
 * and readers of the trail do not see it; the key of the action keeps two digests from being compared.
 */
export function hidingCredentials(idempotencyKey: string): ShowLiteral {
  return (name, literal) => {
    if (!credentialName.test(name) || placeholder.test(literal)) return null
    return { hidden: prefixedHex(sha256(`gate/hidden/v1\n${idempotencyKey}\n${literal}`)) }
  }
}
