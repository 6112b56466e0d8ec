import { secretsOf } from './surroundings.ts'

/** Shorter secrets would hide words. */
const lengthMin = 6

/** Hides the secrets that settings refer to wherever a downstream echoes them. */
export function redacting(settings: unknown, secrets: ReadonlyMap<string, string>): (text: string) => string {
  const hidden = secretsOf(settings)
    .map(name => secrets.get(name) ?? '')
    .filter(secret => secret.length >= lengthMin)
  return text => hidden.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text)
}
