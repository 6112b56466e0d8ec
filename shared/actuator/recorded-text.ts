import { prefixedHex, sha256 } from '../canon/digest.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import type { Finding, Outcome } from '../contract/configuration/actuator-schema.ts'
import { hiddenMark, hidingSecrets } from './hide-secrets.ts'
import { secretsOf } from './surroundings.ts'

/** Hides secrets wherever a downstream echoes them, in every form of hide-secrets.ts. */
export interface Redact {
  text(text: string): string
  /** In texts, names and numbers of what was read: by the text of JSON a secret can be written in many ways. */
  json(value: JsonValue): JsonValue
  /** The same, of more secrets. */
  and(more: readonly string[]): Redact
}

/** Hides the secrets that settings refer to. */
export function redacting(settings: unknown, secrets: ReadonlyMap<string, string>): Redact {
  return hiding(secretsOf(settings).map(name => secrets.get(name) ?? ''))
}

/** For who only looks at what was said. */
export const redactsNothing: Redact = hiding([])

function hiding(secrets: readonly string[]): Redact {
  const text = hidingSecrets(secrets)
  const json = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return text(String(value)) === String(value) ? value : hiddenMark
    if (Array.isArray(value)) return value.map(json)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [text(name), json(inner)]))
  }
  return {
    text,
    json: value => (secrets.length === 0 ? value : json(value)),
    and: more => (more.length === 0 ? hiding(secrets) : hiding([...secrets, ...more])),
  }
}

/** What comes of an attempt, without the secrets: whatever way a text of a downstream took into it, it leaves by this one. */
export function hideIn<Answer extends Outcome | Finding>(answer: Answer, redact: Redact): Answer {
  return {
    ...answer,
    ...('message' in answer ? { message: redact.text(answer.message) } : {}),
    ...('body' in answer && answer.body !== undefined ? { body: redact.json(answer.body) } : {}),
    ...('detail' in answer ? { detail: redact.json(answer.detail) as JsonObject } : {}),
  }
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
