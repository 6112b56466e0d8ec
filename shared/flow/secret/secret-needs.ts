import { placesOf } from '../../actuator/stored-secrets.ts'
import { type NamedSecret, referencesIn } from '../../actuator/surroundings.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { SecretNeed, SecretState } from '../../contract/configuration/secret-schema.ts'
import { lackOf, type SecretKnown } from './judge-secret.ts'

/** The names and key ids that a live worker has; workers of earlier versions omit the key ids. */
export interface SecretOffer {
  secrets: readonly string[]
  secret_keys?: readonly string[]
}

export interface SecretsAround {
  stored: readonly (SecretKnown & { name: string })[]
  offers: readonly SecretOffer[]
}

export function needsOf(actuators: readonly RegisteredActuator[], around: SecretsAround): SecretNeed[] {
  return actuators.flatMap(actuator => {
    const places = placesOf(actuator)
    return referencesIn(actuator.settings).map(named => needOf(actuator.name, named, { ...around, places }))
  })
}

type Around = SecretsAround & { places: string[] }

function needOf(actuator: string, { reference, path }: NamedSecret, around: Around): SecretNeed {
  const need = { actuator, path: `settings${path}`, places: around.places }
  if ('env' in reference)
    return { ...need, name: reference.env, source: 'workers', ...ofWorkers(reference.env, around) }
  const { secret: name } = reference
  return { ...need, name, source: 'tenant', ...ofTenant({ name, actuator }, around) }
}

type Judged = Pick<SecretNeed, 'state' | 'message'>

const ready: Judged = { state: 'ready', message: null }

function ofWorkers(name: string, { offers }: Around): Judged {
  const without = offers.filter(({ secrets }) => !secrets.includes(name)).length
  if (without === 0) return ready
  return { state: 'missing', message: `${name} is not set (${without} of ${offers.length} live workers)` }
}

function ofTenant(needed: { name: string; actuator: string }, { stored, offers, places }: Around): Judged {
  const told = offers.flatMap(({ secret_keys }) => (secret_keys === undefined ? [] : [secret_keys]))
  const hasKey = (keyId: string): boolean => told.length === 0 || told.some(keys => keys.includes(keyId))
  const known = stored.find(({ name }) => name === needed.name)
  const lack = lackOf({ ...needed, places }, known, hasKey)
  return lack ? { state: stateOf[lack.code], message: lack.message } : ready
}

const stateOf = {
  secret_missing: 'missing',
  secret_unconfirmed: 'unconfirmed',
  secret_unreadable: 'unreadable',
} as const satisfies Record<string, SecretState>
