import { hex } from '../../canon/digest.ts'
import { parseStrictJson } from '../../canon/strict-json.ts'
import { type AuditKey, auditKeyListSchema } from '../../contract/action/audit-log.ts'
import { ok, type Result, refused } from '../../result.ts'
import { formatVkey, parseVkey, type VerifierKey } from './verifier-key.ts'

/** A key that an auditor trusts. `sizes` limits the sizes of the logs that the key may have signed. */
export interface TrustedKey extends VerifierKey {
  status?: AuditKey['status']
  sizes?: ListedSizes
}

/** The first and the last log size that a key signed; `last` is null while the key still signs. */
export interface LogSizes {
  first: number
  last: number | null
}

/**
 * `log_id` is the log that the list is about; null if the list names no log. Older lists lack it and apply to
 * every log.
 */
interface ListedSizes extends LogSizes {
  log_id?: string | null
}

/**
 * Reads the auditor's trusted keys from a file. The file has one vkey per line, or a saved answer of GET
 * /v1/audit/keys that the auditor verified in another way. Blank lines and lines that begin with # are skipped.
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
  const list = savedListSchema.safeParse(parsed.value)
  if (!list.success) return refused('it is no answer of /v1/audit/keys')
  const { log_id } = list.data
  const ofLog = log_id === undefined ? {} : { log_id }
  const keys: TrustedKey[] = []
  for (const listed of list.data.keys) {
    const key = parseVkey(listed.vkey)
    if (!key.ok) return refused(`${listed.vkey} is no verifier key: ${key.error}`)
    keys.push({ ...key.value, status: listed.status, sizes: { ...sizesOf(listed), ...ofLog } })
  }
  return ok(keys)
}

const savedListSchema = auditKeyListSchema.partial({ log_id: true })

/**
 * Returns the log sizes that a key may sign. A retired or compromised key may sign only up to the last size that
 * it is listed with; without a listed size it may sign none.
 */
function sizesOf({ status, first_log_size, last_log_size }: AuditKey): LogSizes {
  const ended = status === 'retired' || status === 'compromised'
  return { first: first_log_size ?? 0, last: ended ? (last_log_size ?? -1) : null }
}

/**
 * Returns the sizes at which a key may have signed the log `origin`, by all given lists. Returns null if the key
 * has ended and no list gives its last size for this log.
 */
export function sizesIn(origin: string, key: VerifierKey, trusted: readonly TrustedKey[]): LogSizes | null {
  const vkey = formatVkey(key)
  const given = trusted
    .filter(one => formatVkey(one) === vkey)
    .map(({ sizes = anySize }): ListedSizes => sizes)
  const ofIt = given.filter(({ log_id }) => log_id === undefined || isOrigin(origin, log_id))
  const lasts = ofIt.flatMap(({ last }) => last ?? [])
  const hasEnded = given.some(({ last }) => last !== null)
  if (hasEnded && lasts.length === 0) return null
  const first = Math.max(0, ...ofIt.map(({ first }) => first))
  return { first, last: hasEnded ? Math.min(...lasts) : null }
}

function isOrigin(origin: string, logId: string | null): boolean {
  return logId !== null && origin.endsWith(`/log/${logId}`)
}

const anySize: LogSizes = { first: 0, last: null }

type Status = AuditKey['status']

const worstFirst: readonly Status[] = ['compromised', 'retired', 'active', 'next']

/** Returns the worst status of a key in all given lists; null if no list names it. */
export function statusOf(key: VerifierKey, trusted: readonly TrustedKey[]): Status | null {
  const vkey = formatVkey(key)
  const told = trusted.filter(one => formatVkey(one) === vkey).map(({ status }) => status)
  return worstFirst.find(status => told.includes(status)) ?? null
}

export function areCompromised(signers: readonly VerifierKey[], trusted: readonly TrustedKey[]): boolean {
  return signers.length > 0 && signers.every(key => statusOf(key, trusted) === 'compromised')
}

export function describeKeys(keys: readonly VerifierKey[], trusted: readonly TrustedKey[]): string {
  const described = keys.map(key => {
    const status = statusOf(key, trusted)
    return `${key.name}+${hex(key.id)} (${status ?? 'given without a status'})`
  })
  return [...new Set(described)].join(', ')
}
