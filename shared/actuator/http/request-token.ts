import * as oauth from 'oauth4webapi'
import type { OAuthClient } from '../../contract/base/http-auth.ts'
import type { Exchange, exchange } from '../exchange.ts'
import { type Redact, reasonOf } from '../recorded-text.ts'
import type { IssuedToken } from './token-cache.ts'

/** The error thrown if no access token was issued, so that the request itself was never sent. */
export class NoToken extends Error {
  readonly code: 'token_refused' | 'token_not_received' | 'egress_refused'

  constructor(code: NoToken['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface TokenCredentials {
  client_id: string
  client_secret: string
}

export type Send = (call: Parameters<typeof exchange>[0]) => Promise<Exchange>

/** Visible ASCII (RFC 6749 appendix A.12). A token with other characters would make every call fail. */
const headerText = /^[\x21-\x7e]+$/

/** The longest life of a token in seconds: one day, so that a mistaken life of years does not count. */
const livesSecondsMax = 24 * 3_600

/** Requests a token by the client credentials grant (RFC 6749 section 4.4). */
export async function requestToken(
  client: OAuthClient,
  { client_id, client_secret }: TokenCredentials,
  { send, redact }: { send: Send; redact: Redact },
): Promise<IssuedToken> {
  const server: oauth.AuthorizationServer = { issuer: client.token_url, token_endpoint: client.token_url }
  const proof = client.client_authentication === 'post' ? oauth.ClientSecretPost : oauth.ClientSecretBasic
  const { scope, audience, resource } = client
  const parameters = new URLSearchParams(
    Object.entries({ scope, audience, resource }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
  try {
    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      { client_id },
      proof(client_secret),
      parameters,
      {
        [oauth.customFetch]: (url, options) => answerOf(url, options, send),
        [oauth.allowInsecureRequests]: true,
      },
    )
    const token = await oauth.processClientCredentialsResponse(server, { client_id }, answer)
    if (!headerText.test(token.access_token))
      throw new NoToken('token_refused', 'the token endpoint gave out a token that no header can carry')
    const { expires_in } = token
    return {
      value: token.access_token,
      lives_ms: expires_in === undefined ? null : Math.min(Math.max(expires_in, 0), livesSecondsMax) * 1_000,
    }
  } catch (error) {
    throw asNoToken(error, redact)
  }
}

/**
 * Asks the token endpoint for the OAuth library. Plain HTTP is allowed, because the egress guard decides
 * about it.
 */
async function answerOf(
  url: string,
  { method, headers, body }: { method: 'POST' | 'GET'; headers: Record<string, string>; body?: unknown },
  send: Send,
): Promise<Response> {
  const text = body === undefined ? null : String(body)
  const exchanged = await send({ method, url: new URL(url), headers, body: text })
  if (exchanged.kind !== 'answered') {
    const { kind, code, message } = exchanged
    throw new NoToken(kind === 'refused' ? 'egress_refused' : 'token_not_received', `${code}: ${message}`)
  }
  const { answer } = exchanged
  const type = answer.headers['content-type']
  return new Response(answer.body.length === 0 ? null : new Uint8Array(answer.body), {
    status: answer.status,
    headers: typeof type === 'string' ? { 'content-type': type } : {},
  })
}

function asNoToken(error: unknown, redact: Redact): NoToken {
  const hide = (text: string): string => redact.text(text)
  if (error instanceof NoToken) return new NoToken(error.code, hide(error.message))
  if (!(error instanceof oauth.ResponseBodyError)) return new NoToken('token_refused', reasonOf(error, hide))
  const { status, error: code, error_description: why = '' } = error
  return new NoToken('token_refused', hide(`the token endpoint answered ${status}: ${code} ${why}`.trim()))
}
