import { prefixedHex, sha256 } from '../canon/digest.ts'
import type { JsonValue } from '../contract/base/json.ts'
import { secretsOf } from './surroundings.ts'

/** Hides secrets wherever a downstream echoes them. */
export interface Redact {
  text(text: string): string
  /** In texts, names and numbers of what was read: by the text of JSON a secret can be written in many ways. */
  json(value: JsonValue): JsonValue
  /** The same, of more secrets. */
  and(more: readonly string[]): Redact
}

/** Shorter secrets would hide words. */
const lengthMin = 6

/** Hides the secrets that settings refer to. */
export function redacting(settings: unknown, secrets: ReadonlyMap<string, string>): Redact {
  return hiding(secretsOf(settings).map(name => secrets.get(name) ?? ''))
}

/** For who only looks at what was said. */
export const redactsNothing: Redact = hiding([])

/** The longest first: what a longer secret begins with is not its end. */
function hiding(secrets: readonly string[]): Redact {
  const hidden = secrets
    .filter(secret => secret.length >= lengthMin)
    .sort((one, other) => other.length - one.length)
  const redact = (text: string): string =>
    hidden.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text)
  const plain = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return redact(value)
    if (typeof value === 'number') return redact(String(value)) === String(value) ? value : '[redacted]'
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [redact(name), plain(inner)]))
  }
  return {
    text(text) {
      const shown = redact(text)
      const read = unescaped(shown)
      return redact(read) === read ? shown : redact(read)
    },
    json: value => (hidden.length === 0 ? value : plain(value)),
    and: more => (more.length === 0 ? hiding(secrets) : hiding([...secrets, ...more])),
  }
}

/** A text without the escapes of JSON that say a character otherwise. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, code: string | undefined, itself: string) =>
    code === undefined ? itself : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/**
 * What something that was thrown says, whatever it is; at most 500 characters. It never throws. What `hide` takes away is
 * hidden before the text is cut: the beginning of a secret would not be recognised any more.
 */
export function reasonOf(thrown: unknown, hide = (text: string): string => text): string {
  try {
    return plainText(hide(textOf(thrown)).slice(0, 500))
  } catch {
    return 'something that cannot be read was thrown'
  }
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (thrown instanceof Error) return String(thrown.message)
  return `something that is not an error was thrown (${typeof thrown})`
}

/** A text as it can be recorded: Unicode, without U+0000, which Postgres cannot hold. */
export function plainText(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '')
}

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
