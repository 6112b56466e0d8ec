import type { Finding, Outcome } from '../contract/configuration/actuator-schema.ts'
import type { Dispatched } from '../contract/configuration/completion.ts'
import type { Accepted, Actuator, CalledBack, Invocation } from './actuator.ts'

/** Secrets that a tenant has stored, as one call of an actuator asks for them. */
export interface SecretsWanted {
  tenant_id: string
  actuator: string
  names: readonly string[]
  /** Where the call may send them. */
  places: readonly string[]
}

/** Why a call has not what it needs: its code is the one under which its job waits. */
export interface SecretLack {
  code: 'secret_missing' | 'secret_unconfirmed' | 'secret_unreadable'
  message: string
}

/** Finds and opens stored secrets for one call, or says what is wrong; null where they could not be read now. It never throws. */
export type OpenStored = (wanted: SecretsWanted) => Promise<ReadonlyMap<string, string> | SecretLack | null>

/** A worker that keeps no stored secrets. */
export const noneStored: OpenStored = async ({ names }) => ({
  code: 'secret_missing',
  message: `this worker reads no stored secrets, and ${names.join(', ')} is one`,
})

export interface Opening {
  open: OpenStored
  wanted: Omit<SecretsWanted, 'tenant_id'>
  /** How long a job waits for what is lacking. */
  waits_ms: number
  /** The actuator with these secrets. */
  make(secrets: ReadonlyMap<string, string>): Actuator | { code: string; message: string }
}

/**
 * An actuator that opens what its tenant has stored for each call anew, so that a value that is replaced, deleted or bound
 * elsewhere counts from the next call on. Until it has them nothing is sent.
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

/** Secrets that are gone are no reason to forget what was done: then only that is kept. */
async function calledBackOpened(actuator: Actuator, opening: Opening, called: CalledBack): Promise<Outcome> {
  const opened = await openFor(opening, called)
  if (!('code' in opened)) return (await opened.calledBack?.(called)) ?? noCallback(opened)
  if (opened.waits) return withoutWords(actuator, { ...called, isLast: true })
  return withoutWords(actuator, called, opened)
}

/**
 * What was called back to a worker that cannot hide the secrets in it: another may, until nobody can any more. Then it is
 * judged, and not repeated.
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

/** Why nothing is sent now; it waits where somebody has to do something first. */
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

/** Members of settings that hold requests and templates: what stands there is part of a request, and not where it goes. */
const contents: ReadonlySet<string> = new Set(['operations', 'lookup', 'tools', 'headers', 'body', 'query'])

/**
 * Where a registration sends what it sends, its secrets among it: the origin of every address in its settings (`base_url`,
 * the `url` of a transport, the `token_url` of an authorization), each once and by name. A stored secret is bound to them.
 */
export function placesOf(settings: unknown): string[] {
  return [...new Set(addressesIn(settings).map(originOf))].sort()
}

export function samePlaces(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((place, at) => place === other[at])
}

function addressesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (contents.has(name)) return []
    return typeof inner === 'string' ? (isAddress(name) ? [inner] : []) : addressesIn(inner)
  })
}

function isAddress(name: string): boolean {
  return name === 'url' || name.endsWith('_url')
}

/** Scheme, host and port. What is no URL stands for itself, so that it is never the same as another. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address
}
