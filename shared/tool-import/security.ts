import { ownHeaderNameSchema } from '../contract/base/header-names.ts'
import { type HttpAuth, nameOfSecret, type SecretReference } from '../contract/base/http-auth.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { objectAt } from './references.ts'

/** Whose the credentials of a proposal are: variables of the workers, or secrets that the tenant stores. */
export type CredentialSource = 'workers' | 'tenant'

/** A credential that the downstream asks for, by the name under which it is to be found. */
export interface Credential {
  name: string
  source: CredentialSource
  /** What its value is. */
  message: string
}

/** How a document says that its requests are authenticated, in the settings of an `http` actuator. */
export interface Security {
  auth?: HttpAuth
  credentials: Credential[]
}

/** Names a credential of some kind. */
type Naming = (kind: string) => SecretReference
type Scheme = (scheme: JsonObject, naming: Naming) => Security | null

function bearer(naming: Naming, message: string): Security {
  const token = naming('token')
  return { auth: { type: 'bearer', token }, credentials: [credentialOf(token, message)] }
}

function credentialOf(reference: SecretReference, message: string): Credential {
  return { name: nameOfSecret(reference), source: 'env' in reference ? 'workers' : 'tenant', message }
}

/** Types of security schemes (OpenAPI 3.1); null: the actuator has no settings for it. */
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
    if (where === 'header' && !ownHeaderNameSchema.safeParse(name).success) return null
    const value = naming('key')
    const message = `the value of ${where === 'query' ? `${name} in the query` : `the header ${name}`}`
    return { auth: { type: where, name, value }, credentials: [credentialOf(value, message)] }
  },
}

/** A program gets its tokens itself, where the document says where. */
function clientCredentials(flows: JsonValue | undefined, naming: Naming): Security | null {
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

const none: Security = { credentials: [] }

/** The first requirement that the settings of an actuator can meet, of those of the document or of its operations. */
export function readSecurity(document: JsonObject, system: string, source: CredentialSource): Security {
  const naming = (kind: string) => namings[source](system, kind)
  for (const name of requiredSchemes(document)) {
    const { securitySchemes } = isPlainObject(document.components) ? document.components : {}
    const scheme = isPlainObject(securitySchemes) ? objectAt(document, securitySchemes[name]) : null
    const read = scheme ? schemes[String(scheme.type)]?.(scheme, naming) : null
    if (read) return read
  }
  return none
}

function requiredSchemes(document: JsonObject): string[] {
  const items = isPlainObject(document.paths) ? Object.values(document.paths) : []
  const operations = items
    .flatMap(item => (isPlainObject(item) ? Object.values(item) : []))
    .filter(isPlainObject)
  const lists = [document.security, ...operations.map(({ security }) => security)]
  const names = lists
    .flatMap(list => (Array.isArray(list) ? list : []))
    .flatMap(requirement => (isPlainObject(requirement) ? Object.keys(requirement) : []))
  return [...new Set(names)]
}

const namings: Readonly<Record<CredentialSource, (system: string, kind: string) => SecretReference>> = {
  /** `ACTUATOR_`, the name of the system, and what it is. */
  workers: (system, kind) => ({ env: `ACTUATOR_${named(system)}_${kind}`.toUpperCase() }),
  /** A name of a stored secret begins with a letter. */
  tenant: (system, kind) => ({ secret: `${named(system).replace(/^(?![a-z])/, 'x')}_${kind}` }),
}

function named(system: string): string {
  return system
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 60)
}
