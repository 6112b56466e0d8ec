import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What is used here of a package that comes without types. */
interface Provider {
  callback(): RequestListener
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  Grant: new (traits: object) => { addOIDCScope(scope: string): void; save(): Promise<string> }
}
type ProviderClass = new (issuer: string, configuration: object) => Provider

/** Cookies of a browser at the issuer. */
export type Cookies = Map<string, string>

/** A real issuer of OpenID Connect on this machine, at which anybody may be whoever they say. */
export interface TestIssuer {
  url: string
  /** The value of `SERVICE_OIDC_ISSUERS` with this issuer, and a variable with the secret. */
  setting(traits?: object): Record<string, string>
  /** The same of `SERVICE_OPERATOR_ISSUERS`, at a client of its own for the console. */
  consoleSetting(): Record<string, string>
  /** The claim `groups` of each person; nobody else has one. */
  groups: Map<string, unknown>
  /** Follow an authorization request as a browser would whose person is `login`; the query that it comes back with. */
  authorize(url: string, login: string, cookies?: Cookies): Promise<string>
  /** Leave the issuer as the browser with these cookies would: it tells the service so. */
  leave(cookies: Cookies): Promise<void>
  close(): Promise<void>
}

export interface IssuerTraits {
  /** Where the service is: the redirect URIs of the client are there. */
  serviceUrl(): string
  name?: string
}

const client = { client_id: 'gate', client_secret: 'secret-of-the-gate-at-its-issuer' }

const consoleClient = { ...client, client_id: 'gate-console' }

/** Start `oidc-provider`. Its page of log-in asks for a name alone. */
export async function startIssuer({ serviceUrl, name = 'example' }: IssuerTraits): Promise<TestIssuer> {
  let listener: RequestListener = () => undefined
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const packageName = 'oidc-provider'
  const { default: Provider } = (await import(packageName)) as { default: ProviderClass }
  const groups = new Map<string, unknown>()
  let made: { provider: Provider; of: string } | null = null
  /** Made when it is first asked: only then is it known where the service listens. */
  const provider = (): Provider => {
    const of = serviceUrl()
    if (made?.of !== of) made = { of, provider: new Provider(url, configurationFor(of, { name, groups })) }
    return made.provider
  }
  listener = (request, response) => {
    if (request.url?.startsWith('/interaction/')) void interact(provider(), request, response)
    else provider().callback()(request, response)
  }
  return {
    url,
    groups,
    setting: (traits = {}) => ({
      SERVICE_OIDC_ISSUERS: JSON.stringify({
        [name]: {
          title: 'Example Login',
          issuer: url,
          client_id: client.client_id,
          client_secret: { env: 'OIDC_TEST_SECRET' },
          ...traits,
        },
      }),
    }),
    consoleSetting: () => ({
      SERVICE_OPERATOR_ISSUERS: JSON.stringify({
        [name]: {
          title: 'Example Login',
          issuer: url,
          client_id: consoleClient.client_id,
          client_secret: { env: 'OIDC_TEST_SECRET' },
        },
      }),
    }),
    authorize: (at, login, cookies = new Map()) => authorize(at, login, cookies),
    leave: cookies => leave(url, cookies),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The secret stands in the environment of the process, where the service looks for it. */
process.env.OIDC_TEST_SECRET = client.client_secret

function configurationFor(
  serviceUrl: string,
  { name, groups }: { name: string; groups: ReadonlyMap<string, unknown> },
): object {
  return {
    clients: [
      {
        ...client,
        redirect_uris: [`${serviceUrl}/app/signed-in/${name}`],
        post_logout_redirect_uris: [`${serviceUrl}/app/login`],
        backchannel_logout_uri: `${serviceUrl}/v1/accounts/sign-in/${name}/logout`,
        backchannel_logout_session_required: true,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
      {
        ...consoleClient,
        redirect_uris: [`${serviceUrl}/admin/signed-in/${name}`],
        post_logout_redirect_uris: [`${serviceUrl}/admin`],
        backchannel_logout_uri: `${serviceUrl}/v1/operators/sign-in/${name}/logout`,
        backchannel_logout_session_required: true,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], groups: ['groups'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    acrValues: ['urn:test:password', 'urn:test:hardware'],
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: askWhetherToLeave },
    },
    // Its own guard lets it call no address of this machine, where the service is.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
      fetch(url, options),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: `${sub}@example.org`,
        email_verified: true,
        name: sub,
        ...(groups.has(sub) ? { groups: groups.get(sub) } : {}),
      }),
    }),
    loadExistingGrant: grantEverything,
    cookies: { keys: ['of a test'] },
    ttl: { Session: 3_600, Interaction: 600, Grant: 3_600, IdToken: 600, AccessToken: 600 },
  }
}

async function grantEverything(context: {
  oidc: { client: { clientId: string }; session: { accountId: string }; provider: Provider }
}): Promise<object> {
  const { client: of, session, provider } = context.oidc
  const grant = new provider.Grant({ clientId: of.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid email profile groups')
  await grant.save()
  return grant
}

async function askWhetherToLeave(context: { body: string }, form: string): Promise<void> {
  context.body = `<!doctype html><html lang="en"><title>Leave</title><h1>Leave Example Login?</h1>${form}</html>`
}

const page = `<!doctype html><html lang="en"><title>Example Login</title><h1>Example Login</h1>
<form method="post"><label>Name <input name="login" required></label><button>Log in</button></form></html>`

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(page)
    return
  }
  const accountId = new URLSearchParams(await text(request)).get('login') ?? ''
  await provider.interactionFinished(request, response, { login: { accountId, acr: 'urn:test:password' } })
}

interface Step {
  method: 'GET' | 'POST'
  url: string
}

/** Redirects of the issuer are followed with its cookies, its page is filled in, and the way back is not gone. */
async function authorize(url: string, login: string, cookies: Cookies): Promise<string> {
  const { origin } = new URL(url)
  let next: Step = { method: 'GET', url }
  for (let step = 0; step < 10; step += 1) {
    const location = await take(next, cookies, login)
    if (location === null && next.method === 'POST') throw new Error('the issuer refuses the log-in')
    const to = new URL(location ?? next.url, next.url)
    if (to.origin !== origin) return to.search.slice(1)
    next = { method: location === null ? 'POST' : 'GET', url: to.href }
  }
  throw new Error('the issuer does not send the browser back')
}

/** One request of a browser; where it is sent next, or null. */
async function take({ method, url }: Step, cookies: Cookies, login: string): Promise<string | null> {
  const cookie = [...cookies].map(pair => pair.join('=')).join('; ')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { cookie, ...(method === 'POST' ? form : {}) },
    ...(method === 'POST' ? { body: new URLSearchParams({ login }).toString() } : {}),
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  await response.arrayBuffer()
  return response.headers.get('location')
}

/** The page that asks whether to leave is answered with yes. */
async function leave(url: string, cookies: Cookies): Promise<void> {
  const cookie = () => [...cookies].map(pair => pair.join('=')).join('; ')
  const asked = await fetch(`${url}/session/end`, { headers: { cookie: cookie() } })
  for (const line of asked.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(await asked.text()) ?? []
  const left = await fetch(`${url}/session/end/confirm`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie(), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
  })
  if (left.status >= 400) throw new Error(`the issuer answers ${left.status}: ${await left.text()}`)
}
