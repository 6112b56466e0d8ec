import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import * as client from 'openid-client'
import {
  isLoopbackUrl,
  type SecretPlace,
  type SignInSetting,
} from '../contract/configuration/issuer-schema.ts'
import { ok, type Result, refused } from '../result.ts'
import { boundedFetch, IssuerUnreachable } from './bounded-fetch.ts'
import { clockToleranceS, type Identity, readIdentity } from './identity-claims.ts'
import { type Departure, isMeantFor, readLogoutToken } from './logout-token.ts'

export type { Departure, Identity }

/** The values of one attempt to sign in. They are derived from a secret that only the browser has. */
export interface Attempt {
  redirect_uri: string
  state: string
  nonce: string
  code_verifier: string
}

/** A failed sign-in: the issuer did not answer, or its answer is invalid. The detail is for the log only. */
export interface SignInFailure {
  reason: 'unavailable' | 'refused'
  detail: string
}

export interface Issuers {
  authorizationUrl(name: string, attempt: Attempt): Promise<Result<string, SignInFailure>>
  redeem(name: string, attempt: Attempt, parameters: string): Promise<Result<Identity, SignInFailure>>
  /** Reads a logout token, with which an issuer reports an ended session (back-channel logout). */
  readDeparture(name: string, logoutToken: string): Promise<Result<Departure, SignInFailure>>
  /** Returns the issuer's log-out address; null if it has none or cannot be reached. */
  endSessionUrl(name: string, returnTo: string): Promise<string | null>
}

export interface IssuersOptions {
  settings: ReadonlyMap<string, SignInSetting>
  /** Returns a client's secret. Throws if the secret cannot be read. */
  readSecret(place: SecretPlace): string
  now(): number
  answerMsMax?: number
}

interface Known {
  setting: SignInSetting
  metadata: Promise<client.ServerMetadata>
  until: number
}

const metadataMsMax = 300_000

/** Milliseconds between two fetches of an issuer's keys. A rotated key is accepted after at most this time. */
const keyTimes = { cacheMaxAge: 1_000, cooldownDuration: 1_000 }

/** Creates the issuers without any request, because the first sign-in fetches the metadata. */
export function createIssuers(options: IssuersOptions): Issuers {
  const { settings, now } = options
  const { configure, keysAt } = createRegistrations(options)
  return {
    authorizationUrl: (name, attempt) =>
      answered(async () => {
        const { config, setting } = await configure(name)
        const url = client.buildAuthorizationUrl(config, await requestOf(setting, attempt))
        if (!isReachable(url, setting))
          return refused(failure('refused', 'the authorization endpoint is not https'))
        return ok(url.href)
      }),
    redeem: (name, attempt, parameters) =>
      answered(async () => {
        const { config, setting } = await configure(name)
        const { redirect_uri, state, nonce, code_verifier } = attempt
        const tokens = await client.authorizationCodeGrant(config, new URL(`${redirect_uri}?${parameters}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: code_verifier,
          idTokenExpected: true,
          ...(setting.max_age_s === null ? {} : { maxAge: setting.max_age_s }),
        })
        const { acr_values, groups_claim = null } = setting
        const read = readIdentity(tokens.claims() ?? {}, { acr_values, groups_claim, now: now() })
        return read.ok ? read : refused(failure('refused', read.error))
      }),
    readDeparture: (name, logoutToken) =>
      answered(async () => {
        const meant = settings.get(name)
        if (!meant || !isMeantFor(logoutToken, meant))
          return refused(failure('refused', 'it is for nobody here'))
        const { config, setting } = await configure(name)
        const keys = keysAt(keysUrl(config.serverMetadata(), setting))
        const { issuer, client_id } = setting
        const read = await readLogoutToken(logoutToken, { keys, issuer, client_id, now: now() })
        return read.ok ? read : refused(failure('refused', read.error))
      }),
    async endSessionUrl(name, returnTo) {
      const url = await answered(async () => {
        const { config, setting } = await configure(name)
        if (config.serverMetadata().end_session_endpoint === undefined) return ok(null)
        const asked = client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo })
        return ok(isReachable(asked, setting) ? asked.href : null)
      })
      return url.ok ? url.value : null
    },
  }
}

interface Registration {
  config: client.Configuration
  setting: SignInSetting
}

function createRegistrations({ settings, readSecret, now, answerMsMax = 10_000 }: IssuersOptions) {
  const known = new Map<string, Known>()
  const fetchBounded = boundedFetch(answerMsMax)

  /** Caches metadata for five minutes. A failed answer is dropped, so that the next attempt asks again. */
  const metadataOf = (name: string, setting: SignInSetting): Promise<client.ServerMetadata> => {
    const before = known.get(name)
    if (before && before.until > now()) return before.metadata
    const metadata = discover(setting, fetchBounded)
    known.set(name, { setting, metadata, until: now() + metadataMsMax })
    metadata.catch(() => known.delete(name))
    return metadata
  }

  const keySets = new Map<string, JWTVerifyGetKey>()
  /**
   * Shares one key set per address. Anybody may send logout tokens, and each token would otherwise cause a request
   * to the issuer.
   */
  const keysAt = (url: URL): JWTVerifyGetKey => {
    const keys =
      keySets.get(url.href) ??
      createRemoteJWKSet(url, {
        ...keyTimes,
        [customFetch]: (at, { headers, ...asked }) =>
          fetchBounded(at, { ...asked, headers: Object.fromEntries(headers), body: undefined }),
      })
    keySets.set(url.href, keys)
    return keys
  }

  /** Builds a configuration for one use. Its keys are read anew, so that a key rotation takes effect at once. */
  const configure = async (name: string): Promise<Registration> => {
    const setting = settings.get(name)
    if (!setting) throw new Error(`no issuer ${name} is configured`)
    const metadata = await metadataOf(name, setting)
    const secret = setting.client_secret && readSecret(setting.client_secret)
    const traits = { [client.clockTolerance]: clockToleranceS }
    const config = new client.Configuration(metadata, setting.client_id, traits, authOf(metadata, secret))
    config[client.customFetch] = fetchBounded
    if (isLoopbackUrl(new URL(setting.issuer))) client.allowInsecureRequests(config)
    client.enableNonRepudiationChecks(config)
    return { config, setting }
  }

  return { configure, keysAt }
}

async function discover(
  setting: SignInSetting,
  fetchBounded: client.CustomFetch,
): Promise<client.ServerMetadata> {
  const url = new URL(setting.issuer)
  const config = await client.discovery(url, setting.client_id, undefined, client.None(), {
    [client.customFetch]: fetchBounded,
    execute: isLoopbackUrl(url) ? [client.allowInsecureRequests] : [],
  })
  const { supportsPKCE: _, ...metadata } = config.serverMetadata()
  if (metadata.issuer !== setting.issuer)
    throw new Error(`the metadata is of ${metadata.issuer}, and not of ${setting.issuer}`)
  return metadata
}

function keysUrl({ jwks_uri }: client.ServerMetadata, setting: SignInSetting): URL {
  const url = new URL(jwks_uri ?? '')
  if (!isReachable(url, setting)) throw new Error('the keys are not behind https')
  return url
}

async function requestOf(
  { max_age_s, acr_values, scopes }: SignInSetting,
  { redirect_uri, state, nonce, code_verifier }: Attempt,
): Promise<Record<string, string>> {
  return {
    redirect_uri,
    state,
    nonce,
    scope: ['openid', 'email', 'profile', ...scopes].join(' '),
    code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    ...(max_age_s === null ? {} : { max_age: String(max_age_s) }),
    ...(acr_values.length === 0 ? {} : { acr_values: acr_values.join(' ') }),
  }
}

function authOf(
  { token_endpoint_auth_methods_supported: methods }: client.ServerMetadata,
  secret: string | undefined,
): client.ClientAuth {
  if (secret === undefined) return client.None()
  const takesHeader = methods === undefined || methods.includes('client_secret_basic')
  return takesHeader ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
}

/**
 * Accepts only HTTPS outside this machine. The browser is sent to the address, and an address of another scheme
 * could be a script.
 */
function isReachable(url: URL, { issuer }: SignInSetting): boolean {
  return url.protocol === 'https:' || (isLoopbackUrl(new URL(issuer)) && isLoopbackUrl(url))
}

function failure(reason: SignInFailure['reason'], detail: string): SignInFailure {
  return { reason, detail }
}

async function answered<Answer>(
  ask: () => Promise<Result<Answer, SignInFailure>>,
): Promise<Result<Answer, SignInFailure>> {
  try {
    return await ask()
  } catch (error) {
    const causes = causesOf(error)
    const detail = causes
      .map(({ message }) => message)
      .join(': ')
      .slice(0, 500)
    const isUnreachable = causes.some(cause => cause instanceof IssuerUnreachable)
    return refused(failure(isUnreachable ? 'unavailable' : 'refused', detail))
  }
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let at = error; at instanceof Error && causes.length < 10; at = at.cause) causes.push(at)
  return causes
}
