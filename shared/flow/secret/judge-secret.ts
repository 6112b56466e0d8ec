import { type SecretLack, samePlaces } from '../../actuator/stored-secrets.ts'

export interface SecretNeeded {
  name: string
  actuator: string
  places: readonly string[]
}

export interface SecretKnown {
  actuator: string
  bound_to: readonly string[]
  key_id: string
}

export function lackOf(
  { name, actuator, places }: SecretNeeded,
  known: SecretKnown | undefined,
  hasKey: (keyId: string) => boolean,
): SecretLack | null {
  if (known === undefined)
    return { code: 'secret_missing', message: `no secret ${name} is stored: write it for ${actuator}` }
  if (known.actuator !== actuator) {
    const message = `the secret ${name} is that of ${known.actuator}: write one for ${actuator}`
    return { code: 'secret_missing', message }
  }
  if (!samePlaces(known.bound_to, places)) {
    const message = `the secret ${name} is bound to ${listed(known.bound_to)}, and ${actuator} is registered for ${listed(places)}: confirm it, or write it anew`
    return { code: 'secret_unconfirmed', message }
  }
  return hasKey(known.key_id) ? null : unreadable(name)
}

/** One message covers a lost key, a missing key and a changed row, because writing the secret again mends each. */
export function unreadable(name: string): SecretLack {
  const message = `the secret ${name} cannot be opened with the keys of the workers: write it anew`
  return { code: 'secret_unreadable', message }
}

function listed(places: readonly string[]): string {
  return places.length === 0 ? 'no address' : places.join(' and ')
}
