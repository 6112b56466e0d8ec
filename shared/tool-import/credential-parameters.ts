import type { JsonObject } from '../contract/base/json.ts'

/** A parameter that says who asks: the registration sends it, and no agent is asked for it. */
export interface CredentialParameter {
  name: string
  where: 'header' | 'query'
}

/** Names that say it themselves, without case and what stands between their words. */
const names = new Set([
  'accesstoken',
  'apikey',
  'apitoken',
  'appkey',
  'authtoken',
  'clientsecret',
  'oauthtoken',
  'xaccesstoken',
  'xapikey',
  'xapitoken',
  'xappkey',
  'xauthkey',
  'xauthtoken',
])

/** Names that other things have too; what is said of them decides. */
const ambiguous = new Set(['key', 'token'])
const saysSo = /\b(?:authenticat|authoriz|oauth|api[ -]?(?:key|token)|access token|scopes?\b)/i

/** Whether a parameter of a document is a credential, by its name and by what is said of it. */
export function credentialIn({ name, in: where, description }: JsonObject): CredentialParameter | null {
  if (typeof name !== 'string' || (where !== 'header' && where !== 'query')) return null
  const plain = name.toLowerCase().replace(/[^a-z]/g, '')
  const isOne = names.has(plain) || (ambiguous.has(plain) && saysSo.test(String(description ?? '')))
  return isOne ? { name, where } : null
}

/** Whether a variable of an address holds a credential, whose example is nobody's. */
export function isCredentialVariable(name: string): boolean {
  return /token|secret|password|api[_-]?key/i.test(name)
}
