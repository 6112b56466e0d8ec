import type { HttpAuth } from '../contract/base/http-auth.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { objectAt } from './references.ts'

/** A credential that the downstream asks for, by the name of the variable that is to hold it. */
export interface Credential {
  env: string
  /** What its value is. */
  message: string
}

/** How a document says that its requests are authenticated, in the settings of an `http` actuator. */
export interface Security {
  auth?: HttpAuth
  credentials: Credential[]
}

/** Names the variable of a credential of some kind. */
type Variable = (kind: string) => string
type Scheme = (scheme: JsonObject, variable: Variable) => Security | null

function bearer(variable: Variable, message: string): Security {
  const env = variable('TOKEN')
  return { auth: { type: 'bearer', token: { env } }, credentials: [{ env, message }] }
}

/** Types of security schemes (OpenAPI 3.1); null: the actuator has no settings for it. */
const schemes: Readonly<Record<string, Scheme>> = {
  http({ scheme }, variable) {
    const name = String(scheme).toLowerCase()
    if (name === 'bearer') return bearer(variable, 'the bearer token')
    if (name !== 'basic') return null
    const [username, password] = [{ env: variable('USER') }, { env: variable('PASSWORD') }]
    return {
      auth: { type: 'basic', username, password },
      credentials: [
        { ...username, message: 'the user' },
        { ...password, message: 'the password' },
      ],
    }
  },
  oauth2: ({ flows }, variable) => clientCredentials(flows, variable) ?? bearer(variable, 'an access token'),
  openIdConnect: (_, variable) => bearer(variable, 'an access token'),
  apiKey({ in: where, name }, variable) {
    if (typeof name !== 'string' || (where !== 'header' && where !== 'query')) return null
    if (!/^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(name) && where === 'header') return null
    const value = { env: variable('KEY') }
    const message = `the value of ${where === 'query' ? `${name} in the query` : `the header ${name}`}`
    return { auth: { type: where, name, value }, credentials: [{ ...value, message }] }
  },
}

/** A program gets its tokens itself, where the document says where. */
function clientCredentials(flows: JsonValue | undefined, variable: Variable): Security | null {
  const flow = isPlainObject(flows) && isPlainObject(flows.clientCredentials) ? flows.clientCredentials : {}
  const { tokenUrl } = flow
  if (typeof tokenUrl !== 'string' || !/^https:\/\/[A-Za-z0-9.-]+(?::\d+)?\/[^\s?#]*$/.test(tokenUrl))
    return null
  const [client_id, client_secret] = [{ env: variable('CLIENT_ID') }, { env: variable('CLIENT_SECRET') }]
  return {
    auth: { type: 'oauth2_client_credentials', token_url: tokenUrl, client_id, client_secret },
    credentials: [
      { ...client_id, message: 'the id of the client' },
      { ...client_secret, message: 'its secret' },
    ],
  }
}

const none: Security = { credentials: [] }

/** The first requirement that the settings of an actuator can meet, of those of the document or of its operations. */
export function readSecurity(document: JsonObject, system: string): Security {
  const variable = (kind: string) => variableOf(system, kind)
  for (const name of requiredSchemes(document)) {
    const { securitySchemes } = isPlainObject(document.components) ? document.components : {}
    const scheme = isPlainObject(securitySchemes) ? objectAt(document, securitySchemes[name]) : null
    const read = scheme ? schemes[String(scheme.type)]?.(scheme, variable) : null
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

/** `ACTUATOR_`, the name of the system, and what it is. */
function variableOf(system: string, kind: string): string {
  const name = system
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .slice(0, 60)
  return `ACTUATOR_${name}_${kind}`
}
