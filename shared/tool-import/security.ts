import type { Issue } from '../contract/base/errors.ts'
import { authSchema, type HttpAuth, nameOfSecret, type SecretReference } from '../contract/base/http-auth.ts'
import { isPlainObject, type JsonObject, type JsonValue, memberOf } from '../contract/base/json.ts'
import type { CredentialParameter } from './credential-parameters.ts'
import { objectAt } from './references.ts'

export type CredentialSource = 'workers' | 'tenant'

export interface Credential {
  name: string
  source: CredentialSource
  message: string
}

export interface Security {
  auth?: HttpAuth
  headers?: Record<string, SecretReference>
  credentials: Credential[]
  warnings: Issue[]
}

interface Proof {
  auth: HttpAuth
  credentials: Credential[]
}

type Naming = (kind: string) => SecretReference
type Scheme = (scheme: JsonObject, naming: Naming) => Proof | null

function bearer(naming: Naming, message: string): Proof {
  const token = naming('token')
  return { auth: { type: 'bearer', token }, credentials: [credentialOf(token, message)] }
}

function credentialOf(reference: SecretReference, message: string): Credential {
  return { name: nameOfSecret(reference), source: 'env' in reference ? 'workers' : 'tenant', message }
}

/**
 * Readers by type of security scheme (OpenAPI 3.1). A reader returns null if the actuator has no settings for
 * the scheme.
 */
const schemes: Readonly<Record<string, Scheme>> = {
  http({ scheme }, naming) {
    const name = String(scheme).toLowerCase()
    if (name === 'bearer') return bearer(naming, 'the bearer token')
    if (name !== 'basic') return null
    const [username, password] = [naming('user'), naming('password')]
    return {
      auth: { type: 'basic', username, password },
      credentials: [credentialOf(username, 'the user'), credentialOf(password, 'the password')],
    }
  },
  oauth2: ({ flows }, naming) => clientCredentials(flows, naming) ?? bearer(naming, 'an access token'),
  openIdConnect: (_, naming) => bearer(naming, 'an access token'),
  apiKey({ in: where, name }, naming) {
    if (typeof name !== 'string' || (where !== 'header' && where !== 'query')) return null
    return keyAt({ name, where }, naming('key'))
  },
}

function keyAt({ name, where }: CredentialParameter, value: SecretReference): Proof | null {
  const auth: HttpAuth = { type: where, name, value }
  const message = `the value of ${where === 'query' ? `${name} in the query` : `the header ${name}`}`
  return authSchema.safeParse(auth).success ? { auth, credentials: [credentialOf(value, message)] } : null
}

/** Uses client credentials if the document states a token endpoint, so that the worker fetches tokens itself. */
function clientCredentials(flows: JsonValue | undefined, naming: Naming): Proof | null {
  const flow = isPlainObject(flows) && isPlainObject(flows.clientCredentials) ? flows.clientCredentials : {}
  const { tokenUrl } = flow
  if (typeof tokenUrl !== 'string' || !/^https:\/\/[A-Za-z0-9.-]+(?::\d+)?\/[^\s?#]*$/.test(tokenUrl))
    return null
  const [client_id, client_secret] = [naming('client_id'), naming('client_secret')]
  return {
    auth: { type: 'oauth2_client_credentials', token_url: tokenUrl, client_id, client_secret },
    credentials: [credentialOf(client_id, 'the id of the client'), credentialOf(client_secret, 'its secret')],
  }
}

interface RequiredScheme {
  shown: string
  proof: Proof | null
}

/**
 * Chooses the credentials to send. The schemes of one requirement are sent together. The first requirement
 * that can be sent whole wins; those of the document come before those of its operations. Credential
 * parameters are added.
 */
export function readSecurity(
  document: JsonObject,
  { system, source }: { system: string; source: CredentialSource },
  parameters: readonly CredentialParameter[],
): Security {
  const naming = (kind: string) => namings[source](system, kind)
  const requirements = requirementsOf(document).map(names =>
    names.map((name, at) =>
      // Each secret has a distinct name, even if one scheme has two secrets.
      requiredScheme(document, name, at === 0 ? naming : kind => naming(`${name}_${kind}`)),
    ),
  )
  const whole = requirements.find(schemes => schemes.every(({ proof }) => proof !== null))
  const chosen = whole ?? mostSent(requirements)
  const asked = parameters.map(parameter => ({
    shown: `${parameter.name} in the ${parameter.where}`,
    proof: keyAt(
      parameter,
      naming(chosen.length === 0 ? parameter.name : `${parameter.where}_${parameter.name}`),
    ),
  }))
  const known = new Set(chosen.flatMap(({ proof }) => (proof ? [keyName(proof)] : [])))
  return sendTogether([...chosen, ...asked.filter(({ proof }) => !proof || !known.has(keyName(proof)))])
}

/** Sends one proof by the registration's `auth`. Every other proof that is a header is sent as a header. */
function sendTogether(schemes: readonly RequiredScheme[]): Security {
  const sent = schemes.filter(({ proof }) => proof !== null).map(({ proof }) => proof as Proof)
  // A proof that is no header comes first, because only `auth` can send it.
  const [first, ...others] = sent.sort((one, other) => asHeader(one) - asHeader(other))
  const headers = others.flatMap(({ auth }) =>
    auth.type === 'header' ? [[auth.name, auth.value] as const] : [],
  )
  const beside = others.filter(({ auth }) => auth.type === 'header')
  const unsent = [
    ...schemes.filter(({ proof }) => proof === null),
    ...schemes.filter(({ proof }) => proof !== null && proof !== first && proof.auth.type !== 'header'),
  ]
  return {
    ...(first ? { auth: first.auth } : {}),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    credentials: [...(first ? [first] : []), ...beside].flatMap(({ credentials }) => credentials),
    warnings: unsent.map(({ shown }) => ({
      path: 'actuator.settings.auth',
      code: 'credential_not_sent',
      message: `the document asks for ${shown}, which no setting sends beside the rest: its downstream may refuse the calls`,
    })),
  }
}

const asHeader = ({ auth }: Proof): number => (auth.type === 'header' ? 1 : 0)

function keyName({ auth }: Proof): string {
  return 'name' in auth ? `${auth.type} ${auth.name.toLowerCase()}` : auth.type
}

function mostSent(requirements: readonly RequiredScheme[][]): RequiredScheme[] {
  const sent = (schemes: readonly RequiredScheme[]) => schemes.filter(({ proof }) => proof !== null).length
  return [...requirements].sort((one, other) => sent(other) - sent(one))[0] ?? []
}

function requiredScheme(document: JsonObject, name: string, naming: Naming): RequiredScheme {
  const { securitySchemes } = isPlainObject(document.components) ? document.components : {}
  const given = isPlainObject(securitySchemes) ? memberOf(securitySchemes, name) : undefined
  const scheme = objectAt(document, given) ?? {}
  const kind = String(scheme.type ?? 'an unknown scheme').slice(0, 40)
  const shown = `${name.slice(0, 60)} (${kind}${typeof scheme.in === 'string' ? ` in ${scheme.in.slice(0, 20)}` : ''})`
  const read = Object.hasOwn(schemes, kind) ? schemes[kind] : undefined
  return { shown, proof: read?.(scheme, naming) ?? null }
}

function requirementsOf(document: JsonObject): string[][] {
  const items = isPlainObject(document.paths) ? Object.values(document.paths) : []
  const operations = items
    .flatMap(item => (isPlainObject(item) ? Object.values(item) : []))
    .filter(isPlainObject)
  const lists = [document.security, ...operations.map(({ security }) => security)]
  const requirements = lists
    .flatMap(list => (Array.isArray(list) ? list : []))
    .flatMap(requirement => (isPlainObject(requirement) ? [Object.keys(requirement)] : []))
    .filter(names => names.length > 0)
  return [...new Map(requirements.map(names => [JSON.stringify(names), names])).values()]
}

const namings: Readonly<Record<CredentialSource, (system: string, kind: string) => SecretReference>> = {
  workers: (system, kind) => ({ env: `ACTUATOR_${named(system, 50)}_${named(kind, 40)}`.toUpperCase() }),
  /** The name of a stored secret must begin with a letter. */
  tenant: (system, kind) => ({
    secret: `${named(system, 50).replace(/^(?![a-z])/, 'x')}_${named(kind, 40)}`,
  }),
}

function named(text: string, most: number): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, most)
}
