import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An issuer that does what a test says: each answer may be replaced, and each claim. */
export interface HostileIssuer {
  url: string
  /** By path: what answers instead. */
  answers: Map<string, (response: ServerResponse) => void>
  /** What differs in its metadata, in the header of its tokens and in their claims. */
  metadata: object
  header: object
  claims: object
  /** What stands for the signature instead. */
  signature: string | null
  /** Take a new key, and publish it alone. */
  rotate(): void
  /** Sign with a key that was never published. */
  signWithAnother(): void
  /** A logout token that holds, but for what differs in its claims and its header. */
  logoutToken(claims?: object, header?: object): string
  /** How often each path was asked for. */
  asked(path: string): number
  close(): Promise<void>
}

interface Key {
  kid: string
  privateKey: KeyObject
  publicKey: KeyObject
}

let keys = 0
let tokens = 0
function newKey(): Key {
  return { kid: `key-${keys++}`, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) }
}

/** Keys are dear: issuers share their first ones, of which the second is never published. */
const [firstKey, anotherKey] = [newKey(), newKey()]

/** Start an issuer whose tokens are for the client `gate`, with the nonce that `nonce` tells. */
export async function startHostileIssuer(nonce: () => string): Promise<HostileIssuer> {
  let published = firstKey
  let signing = published
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', url)
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1)
    request.resume()
    const answer = issuer.answers.get(pathname) ?? preset[pathname]
    if (answer) answer(response)
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const idToken = (): string => {
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: url,
      aud: 'gate',
      sub: 'ann',
      iat: now,
      exp: now + 300,
      auth_time: now,
      nonce: nonce(),
    }
    return signedToken({ ...claims, ...issuer.claims }, issuer.header)
  }
  const signedToken = (claims: object, header: object): string => {
    const signed = [{ alg: 'RS256', kid: signing.kid, ...header }, claims]
      .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const own = () => sign('sha256', Buffer.from(signed), signing.privateKey).toString('base64url')
    return `${signed}.${issuer.signature ?? own()}`
  }
  const preset: Record<string, (response: ServerResponse) => void> = {
    '/.well-known/openid-configuration': response =>
      sendJson(response, { ...metadataOf(url), ...issuer.metadata }),
    '/jwks': response => {
      const { kid, publicKey } = published
      sendJson(response, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }],
      })
    },
    '/token': response =>
      sendJson(response, { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: idToken() }),
  }
  const issuer: HostileIssuer = {
    url,
    answers: new Map(),
    metadata: {},
    header: {},
    claims: {},
    signature: null,
    rotate() {
      published = newKey()
      signing = published
    },
    signWithAnother() {
      signing = { ...anotherKey, kid: published.kid }
    },
    logoutToken(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1_000)
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const told = {
        iss: url,
        aud: 'gate',
        iat: now,
        exp: now + 120,
        jti: `jti-${tokens++}`,
        sub: 'ann',
        events,
      }
      return signedToken({ ...told, ...claims }, { typ: 'logout+jwt', ...header })
    },
    asked: path => counts.get(path) ?? 0,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return issuer
}

function metadataOf(url: string) {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
    end_session_endpoint: `${url}/end`,
  }
}

export function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}
