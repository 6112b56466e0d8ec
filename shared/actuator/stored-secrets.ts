import { kindOf } from '../contract/actuator-kind/kinds.ts'
import type { Finding, Outcome, RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import type { Dispatched } from '../contract/configuration/completion.ts'
import type { Accepted, Actuator, CalledBack, Invocation } from './actuator.ts'

export interface SecretsWanted {
  tenant_id: string
  actuator: string
  names: readonly string[]
  /** The origins to which the call may send the secrets. */
  places: readonly string[]
}

export interface SecretLack {
  code: 'secret_missing' | 'secret_unconfirmed' | 'secret_unreadable'
  message: string
}

/**
 * Opens stored secrets for a call and never throws. Returns a lack if they are missing or unusable, and null
 * if they cannot be read now.
 */
export type OpenStored = (wanted: SecretsWanted) => Promise<ReadonlyMap<string, string> | SecretLack | null>

export const noneStored: OpenStored = async ({ names }) => ({
  code: 'secret_missing',
  message: `this worker reads no stored secrets, and ${names.join(', ')} is one`,
})

export interface Opening {
  open: OpenStored
  wanted: Omit<SecretsWanted, 'tenant_id'>
  waits_ms: number
  make(secrets: ReadonlyMap<string, string>): Actuator | { code: string; message: string }
}

/**
 * Wraps an actuator so that each call opens the tenant's stored secrets anew. A replaced or deleted value
 * counts from the next call on. Nothing is sent without the secrets.
 */
export function openingSecrets(actuator: Actuator, opening: Opening): Actuator {
  return {
    ...actuator,
    invoke: invocation => invokeOpened(opening, invocation),
    ...(actuator.poll
      ? { poll: (dispatched, invocation) => pollOpened(opening, dispatched, invocation) }
      : {}),
    ...(actuator.calledBack ? { calledBack: called => calledBackOpened(actuator, opening, called) } : {}),
    ...(actuator.lookup ? { lookup: attempt => lookUpOpened(opening, attempt) } : {}),
  }
}

async function invokeOpened(opening: Opening, invocation: Invocation): Promise<Outcome | Accepted> {
  const opened = await openFor(opening, invocation)
  if (!('code' in opened)) return opened.invoke(invocation)
  const { waits, ...problem } = opened
  if (!waits) return { class: 'retry', ...problem }
  return { class: 'busy', ...problem, retry_after_ms: opening.waits_ms }
}

async function pollOpened(
  opening: Opening,
  dispatched: Dispatched,
  invocation: Invocation,
): Promise<Outcome> {
  const opened = await openFor(opening, invocation)
  if ('code' in opened) return { class: 'busy', code: opened.code, message: opened.message }
  const message = `${opened.name} cannot be asked`
  return opened.poll?.(dispatched, invocation) ?? { class: 'busy', code: 'no_poll', message }
}

/**
 * Reads a callback with its secrets hidden. If the secrets are gone, only the class of the result is kept,
 * because the text of the callback could repeat them.
 */
async function calledBackOpened(actuator: Actuator, opening: Opening, called: CalledBack): Promise<Outcome> {
  const opened = await openFor(opening, called)
  if (!('code' in opened)) return (await opened.calledBack?.(called)) ?? noCallback(opened)
  if (opened.waits) return withoutWords(actuator, { ...called, isLast: true })
  return withoutWords(actuator, called, opened)
}

/**
 * Judges a callback whose secrets this worker cannot hide. It returns `busy` while another worker may still
 * read the callback. The last worker keeps the class and drops the callback's text.
 */
export async function withoutWords(
  actuator: Actuator,
  called: CalledBack,
  lack = { code: 'secrets_not_opened', message: 'its secrets could not be hidden' },
): Promise<Outcome> {
  if (!called.isLast) return { class: 'busy', code: lack.code, message: lack.message }
  const said = (await actuator.calledBack?.(called)) ?? noCallback(actuator)
  if (said.class === 'ok') return { ...said, detail: { omitted: 'secrets_not_opened' } }
  const { body: _body, ...told } = said
  return told
}

function noCallback({ name }: Actuator): Outcome {
  return { class: 'busy', code: 'no_callback', message: `${name} is not called back` }
}

async function lookUpOpened(opening: Opening, invocation: Invocation): Promise<Finding> {
  const opened = await openFor(opening, invocation)
  if ('code' in opened) return { found: 'unclear', code: opened.code, message: opened.message }
  const message = `${opened.name} offers no look-up`
  return opened.lookup?.(invocation) ?? { found: 'unclear', code: 'no_lookup', message }
}

/** A reason why nothing is sent now. `waits` is true if a person must act first. */
interface Unopened {
  code: string
  message: string
  waits: boolean
}

async function openFor(
  { open, wanted, make }: Opening,
  { tenant_id }: Pick<Invocation, 'tenant_id'>,
): Promise<Actuator | Unopened> {
  const found = await open({ tenant_id, ...wanted })
  if (found === null)
    return { code: 'secret_not_read', message: 'its stored secrets could not be read', waits: false }
  if (isLack(found)) {
    const message = `this worker cannot call ${wanted.actuator}: ${found.message}`
    return { code: found.code, message, waits: true }
  }
  const made = make(found)
  return 'code' in made ? { ...made, waits: false } : made
}

function isLack(found: ReadonlyMap<string, string> | SecretLack): found is SecretLack {
  return 'code' in found
}

/**
 * Returns the origins to which a registration sends its secrets, once each and sorted: those of the URLs that its
 * kind declares. A stored secret is bound to them.
 */
export function placesOf({ kind, settings }: { kind: string; settings: unknown }): string[] {
  const urls = Object.values(kindOf({ kind }).urls(settings as RegisteredActuator['settings']))
  return [...new Set(urls.flatMap(url => (url === undefined ? [] : [originOf(url)])))].sort()
}

export function samePlaces(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((place, at) => place === other[at])
}

/** Returns scheme, host and port. A text that is no URL is returned unchanged, so that it equals no origin. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address
}
