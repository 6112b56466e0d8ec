import { prefixedHex, sha256 } from '../canon/digest.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import type { Finding, Outcome } from '../contract/configuration/actuator-schema.ts'
import { hiddenMark, hidingSecrets } from './hide-secrets.ts'
import { secretsOf } from './surroundings.ts'

/** A redactor that hides secrets in every form that hide-secrets.ts finds. */
export interface Redact {
  text(text: string): string
  /** Redacts the texts, names and numbers of a parsed value, because JSON can write one secret in many ways. */
  json(value: JsonValue): JsonValue
  and(more: readonly string[]): Redact
}

export function redacting(settings: unknown, secrets: ReadonlyMap<string, string>): Redact {
  return hiding(secretsOf(settings).map(name => secrets.get(name) ?? ''))
}

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

/** Redacts each text of an outcome or finding, so that no text of a downstream is recorded unredacted. */
export function hideIn<Answer extends Outcome | Finding>(answer: Answer, redact: Redact): Answer {
  return {
    ...answer,
    ...('message' in answer ? { message: redact.text(answer.message) } : {}),
    ...('body' in answer && answer.body !== undefined ? { body: redact.json(answer.body) } : {}),
    ...('detail' in answer ? { detail: redact.json(answer.detail) as JsonObject } : {}),
  }
}

/**
 * Returns the reason of a thrown value in at most 500 characters, and never throws. It hides secrets before
 * cutting, because it would not recognise a part of a secret.
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

/** Returns a text that can be recorded: valid Unicode without U+0000, which Postgres cannot hold. */
export function plainText(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '')
}

/** A function that returns the digest to show instead of a credential, or null to show the literal itself. */
export type ShowLiteral = (name: string, literal: string) => { hidden: string } | null

const credentialName = /auth|cookie|credential|key|passw|secret|session|signature|token/i
const placeholder = /[{}]/

/**
 * Replaces a credential that a template states literally by its digest. The action's key salts the digest, so
 * that digests of two actions cannot be compared.
 */
export function hidingCredentials(idempotencyKey: string): ShowLiteral {
  return (name, literal) => {
    if (!credentialName.test(name) || placeholder.test(literal)) return null
    return { hidden: prefixedHex(sha256(`gate/hidden/v1\n${idempotencyKey}\n${literal}`)) }
  }
}
