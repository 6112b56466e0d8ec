import { canonicalJson } from '../../canon/canonical-json.ts'
import { sha256 } from '../../canon/digest.ts'
import {
  type HttpAuth,
  nameOfSecret,
  type OAuthClient,
  type SecretReference,
} from '../../contract/base/http-auth.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { wallTimeMs } from '../../runtime/clock.ts'
import { createEnding, openDeadline, unlessAborted } from '../../runtime/deadline.ts'
import type { ClientCertificate } from '../egress/egress-guard.ts'
import { encodedForForm } from '../escaped-text.ts'
import type { HttpRequest } from '../exchange.ts'
import { signMessage } from '../post-message.ts'
import { type Redact, redacting } from '../recorded-text.ts'
import { CannotRender } from './render-template.ts'
import { NoToken, requestToken, type Send } from './request-token.ts'
import { type AwsSigning, signAws } from './sign-aws.ts'
import type { TokenCache } from './token-cache.ts'

/** A signal that never aborts, because one token request serves many calls and no single call may end it. */
export const unhurried = createEnding().signal

export type Secrets = ReadonlyMap<string, string>

export interface Proved {
  call: HttpRequest
  certificate?: ClientCertificate
  redact: Redact
  /** Drops the cached access token, because status 401 says that the server no longer accepts it. */
  refused(): void
}

export interface Proving {
  auth: HttpAuth | undefined
  tenant_id: string
  id: string
  secrets: Secrets
  tokens: TokenCache
  redact: Redact
  send: Send
  token_ms: number
}

/** Adds the credentials to a request. If it throws NoToken, only the token endpoint was called. */
export async function authenticate(call: HttpRequest, proving: Proving): Promise<Proved> {
  const { auth, secrets, redact } = proving
  const proved = { call, redact, refused: () => undefined }
  if (auth === undefined) return proved
  const secretOf = (reference: SecretReference): string => secrets.get(nameOfSecret(reference)) ?? ''
  const withHeaders = (headers: Record<string, string>): Proved => ({
    ...proved,
    redact: redact.and(proofsIn(headers)),
    call: { ...call, headers: { ...call.headers, ...checked(headers) } },
  })
  switch (auth.type) {
    case 'bearer':
      return withHeaders({ authorization: `Bearer ${secretOf(auth.token)}` })
    case 'basic':
      return withHeaders({ authorization: `Basic ${pairOf(auth, secrets)}` })
    case 'header':
      return withHeaders({ [auth.name.toLowerCase()]: `${auth.prefix ?? ''}${secretOf(auth.value)}` })
    case 'hmac':
      return withHeaders(signMessage([secretOf(auth.key)], { id: proving.id, body: call.body ?? '' }))
    case 'query':
      return { ...proved, call: { ...call, url: withQuery(call.url, auth.name, secretOf(auth.value)) } }
    case 'aws_sigv4':
      return signed(proved, await signAws(call, signingOf(auth, secrets), new Date(wallTimeMs())))
    case 'mtls':
      return {
        ...proved,
        certificate: {
          cert: secretOf(auth.certificate),
          key: secretOf(auth.key),
          ...(auth.authority ? { ca: secretOf(auth.authority) } : {}),
        },
      }
    case 'oauth2_client_credentials': {
      const name = cacheName(auth, proving)
      const getting = proving.tokens.get(name, () => fetchToken(auth, proving))
      const token = await inTime(getting, proving.token_ms)
      return {
        ...withHeaders({ authorization: `Bearer ${token}` }),
        redact: redact.and([token, ...proving.tokens.recent(name)]),
        refused: () => proving.tokens.drop(name, token),
      }
    }
  }
}

function signed(proved: Proved, call: HttpRequest): Proved {
  const { authorization = '' } = call.headers
  return { ...proved, call, redact: proved.redact.and(proofsIn({ authorization })) }
}

/** The shortest part of a header that is hidden. Names, versions and times are shorter and stay readable. */
const proofLengthMin = 20

/** Returns the tokens and signatures in headers. They are hidden, since a reader could replay the request. */
function proofsIn(headers: Record<string, string>): string[] {
  return proofNames.flatMap(name =>
    (headers[name] ?? '')
      .split(/[\s,]+/)
      .map(part => part.replace(/^(?:Credential|SignedHeaders|Signature)=/, ''))
      .filter(({ length }) => length >= proofLengthMin),
  )
}

const proofNames = ['authorization', 'webhook-signature'] as const

/**
 * Returns the encoded pair of user and password, or of client id and secret. It is hidden as a whole, because
 * either part may be too short to be hidden alone.
 */
export function sentForms(auth: HttpAuth | undefined, secrets: Secrets): readonly string[] {
  if (auth?.type === 'basic') return [pairOf(auth, secrets)]
  if (auth?.type === 'oauth2_client_credentials') return [credentialPair(auth, secrets)]
  return []
}

/** Returns the recent access tokens of a registration in this worker, because a callback may repeat one. */
export function recentTokens(
  auth: HttpAuth | undefined,
  proving: Pick<Proving, 'tenant_id' | 'secrets' | 'tokens'>,
): readonly string[] {
  return auth?.type === 'oauth2_client_credentials' ? proving.tokens.recent(cacheName(auth, proving)) : []
}

export function redactingOf(settings: { auth?: HttpAuth | undefined }, secrets: Secrets): Redact {
  return redacting(settings, secrets).and(sentForms(settings.auth, secrets))
}

/** Waits at most `ms` for a token. The fetch goes on afterwards, because a call with more time may share it. */
async function inTime(getting: Promise<string>, ms: number): Promise<string> {
  const deadline = openDeadline(unhurried, ms)
  const late = (): never => {
    throw new NoToken('token_not_received', `no token came within ${Math.round(ms)} ms`)
  }
  return unlessAborted(getting, deadline.signal)
    .catch((error: unknown) => (deadline.signal.aborted ? late() : Promise.reject(error)))
    .finally(deadline.clear)
}

function fetchToken(auth: OAuthClient, { secrets, send, redact }: Proving) {
  return requestToken(auth, credentialsOf(auth, secrets), { send, redact })
}

function credentialsOf(auth: OAuthClient, secrets: Secrets) {
  const { client_id, client_secret } = auth
  return {
    client_id: textOf(client_id, secrets),
    client_secret: secrets.get(nameOfSecret(client_secret)) ?? '',
  }
}

function credentialPair(auth: OAuthClient, secrets: Secrets): string {
  const { client_id, client_secret } = credentialsOf(auth, secrets)
  return base64(`${encodedForForm(client_id)}:${encodedForForm(client_secret)}`)
}

function pairOf({ username, password }: Extract<HttpAuth, { type: 'basic' }>, secrets: Secrets): string {
  return base64(`${textOf(username, secrets)}:${secrets.get(nameOfSecret(password)) ?? ''}`)
}

function signingOf(
  { access_key_id, secret_access_key, session_token, region, service }: AwsAuth,
  secrets: Secrets,
): AwsSigning {
  return {
    access_key_id: textOf(access_key_id, secrets),
    secret_access_key: textOf(secret_access_key, secrets),
    ...(session_token === undefined ? {} : { session_token: textOf(session_token, secrets) }),
    region,
    service,
  }
}

type AwsAuth = Extract<HttpAuth, { type: 'aws_sigv4' }>

function textOf(text: string | SecretReference, secrets: Secrets): string {
  return typeof text === 'string' ? text : (secrets.get(nameOfSecret(text)) ?? '')
}

/** Derives a cache key from tenant, settings and secret values, so that tenants never share a token. */
function cacheName(
  auth: OAuthClient,
  { tenant_id, secrets }: Pick<Proving, 'tenant_id' | 'secrets'>,
): string {
  const { client_id, client_secret } = credentialsOf(auth, secrets)
  return sha256(canonicalJson({ tenant_id, auth: auth as JsonValue, client_id, client_secret })).toString(
    'base64url',
  )
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function withQuery(url: URL, name: string, value: string): URL {
  const whole = new URL(url)
  whole.searchParams.set(name, value)
  return whole
}

/** Refuses characters that no header may hold, because the HTTP client would fail without naming the header. */
function checked(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new CannotRender(`the secret for header ${name} holds a character that no header may hold`)
  }
  return headers
}
