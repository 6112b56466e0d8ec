import * as oauth from 'oauth4webapi'
import type { OAuthClient } from '../../contract/base/http-auth.ts'
import type { Exchange, exchange } from '../exchange.ts'
import { type Redact, reasonOf } from '../recorded-text.ts'
import type { IssuedToken } from './token-cache.ts'

/** No token was given out: whatever was asked for one, the request itself was not sent. */
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

/** Sends a request past the egress guard. */
export type Send = (call: Parameters<typeof exchange>[0]) => Promise<Exchange>

/** Visible ASCII (RFC 6749 appendix A.12): a line feed or a letter beyond it would end every call before it is sent. */
const headerText = /^[\x21-\x7e]+$/

/** A token that its server calls good for longer is asked for anew each day, so that no mistake of the server lasts. */
const livesSecondsMax = 24 * 3_600

/** Ask a token endpoint for a token of the client itself (RFC 6749 section 4.4). */
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

/** The answer of the token endpoint, in the form that the library reads. Plain HTTP is the egress guard's to refuse. */
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

/** Whatever the endpoint answered but a token; what it says is shown without secrets. */
function asNoToken(error: unknown, redact: Redact): NoToken {
  const hide = (text: string): string => redact.text(text)
  if (error instanceof NoToken) return new NoToken(error.code, hide(error.message))
  if (!(error instanceof oauth.ResponseBodyError)) return new NoToken('token_refused', reasonOf(error, hide))
  const { status, error: code, error_description: why = '' } = error
  return new NoToken('token_refused', hide(`the token endpoint answered ${status}: ${code} ${why}`.trim()))
}
