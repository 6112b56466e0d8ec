import { parseStrictJson } from '../canon/strict-json.ts'
import { type AuditKey, auditKeyListSchema } from '../contract/audit-log.ts'
import { ok, type Result, refused } from '../result.ts'
import { parseVkey, type VerifierKey } from './verifier-key.ts'

/** A key that an auditor trusts; `sizes` are those of the logs it may have signed, where that is known. */
export interface TrustedKey extends VerifierKey {
  sizes?: { first: number; last: number | null }
}

/**
 * Reads what an auditor trusts: vkeys, one a line, or the body of GET /v1/audit/keys as it was fetched at some time and
 * compared by other means. Blank lines and lines that begin with # are passed over.
 */
export function readTrustedKeys(text: string): Result<TrustedKey[], string> {
  if (text.trimStart().startsWith('{')) return readKeyList(text)
  const lines = text.split(/\r?\n/).map(line => line.trim())
  const keys: TrustedKey[] = []
  for (const line of lines.filter(line => line !== '' && !line.startsWith('#'))) {
    const key = parseVkey(line)
    if (!key.ok) return refused(`${line.slice(0, 100)} is no verifier key: ${key.error}`)
    keys.push(key.value)
  }
  return keys.length === 0 ? refused('there is no key in it') : ok(keys)
}

function readKeyList(text: string): Result<TrustedKey[], string> {
  const parsed = parseStrictJson(Buffer.from(text))
  if (!parsed.ok) return refused(`it is not strict JSON: ${parsed.issue.message}`)
  const list = auditKeyListSchema.safeParse(parsed.value)
  if (!list.success) return refused('it is no answer of /v1/audit/keys')
  const keys: TrustedKey[] = []
  for (const listed of list.data.keys) {
    const key = parseVkey(listed.vkey)
    if (!key.ok) return refused(`${listed.vkey} is no verifier key: ${key.error}`)
    keys.push({ ...key.value, ...sizesOf(listed) })
  }
  return ok(keys)
}

/** A key that has signed nothing yet may sign from now on; one that is retired or compromised, up to its last log. */
function sizesOf({ status, first_log_size, last_log_size }: AuditKey): Pick<TrustedKey, 'sizes'> {
  const ended = status === 'retired' || status === 'compromised'
  return { sizes: { first: first_log_size ?? 0, last: ended ? (last_log_size ?? -1) : null } }
}
