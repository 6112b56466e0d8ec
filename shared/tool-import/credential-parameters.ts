import type { JsonObject } from '../contract/base/json.ts'

/** A parameter that is a credential. The registration sends it, so that no agent is asked for it. */
export interface CredentialParameter {
  name: string
  where: 'header' | 'query'
}

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

/** Names that count as credentials only if the description says so, because they often have another meaning. */
const ambiguous = new Set(['key', 'token'])
const saysSo = /\b(?:authenticat|authoriz|oauth|api[ -]?(?:key|token)|access token|scopes?\b)/i

export function credentialIn({ name, in: where, description }: JsonObject): CredentialParameter | null {
  if (typeof name !== 'string' || (where !== 'header' && where !== 'query')) return null
  const plain = name.toLowerCase().replace(/[^a-z]/g, '')
  const isOne = names.has(plain) || (ambiguous.has(plain) && saysSo.test(String(description ?? '')))
  return isOne ? { name, where } : null
}

/** Returns true for a credential in a server address. Its default is ignored, because it is only an example. */
export function isCredentialVariable(name: string): boolean {
  return /token|secret|password|api[_-]?key/i.test(name)
}
