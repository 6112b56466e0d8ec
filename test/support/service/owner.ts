import { expect } from 'vitest'
import type { SessionProfile, SignedUp } from '../../../shared/contract/account.ts'
import type { Answer, Call, Client } from './http.ts'

/** A browser: it keeps cookies, and shows the CSRF token of its session with every write. */
export interface Browser {
  cookies: Map<string, string>
  csrf: string | null
  call: Client
}

/** The address of whom a test makes an account for, and a password that nobody guesses. */
export interface Login {
  email: string
  password: string
}

/** An account that signed up in a browser of its own. */
export interface TestOwner extends Login {
  browser: Browser
  account_id: string
  tenant_id: string
  /** The first agent key. */
  agent: string
  signed_up: SignedUp
  /** A path below its tenant. */
  path(rest: string): string
}

export function newBrowser(call: Client): Browser {
  const browser: Browser = {
    cookies: new Map(),
    csrf: null,
    async call<Body>(method: string, path: string, options: Call = {}): Promise<Answer<Body>> {
      const answer = await call<Body>(method, path, {
        ...options,
        headers: headersOf(browser, method, options),
      })
      keepCookies(browser, answer.headers['set-cookie'] ?? [])
      const { csrf_token } = (answer.body ?? {}) as Partial<SessionProfile>
      if (csrf_token) browser.csrf = csrf_token
      return answer
    },
  }
  return browser
}

let owners = 0

/** Sign up in a new browser, under an address of its own where none is given. */
export async function signUp(
  call: Client,
  traits: Partial<Login> & { template?: string; organization?: string } = {},
): Promise<TestOwner> {
  const { template = 'support', email = `owner${owners++}@example.org`, password = goodPassword } = traits
  const { organization = 'Example Shop' } = traits
  const browser = newBrowser(call)
  const json = { email, password, organization, template }
  const { status, body } = await browser.call<SignedUp>('POST', '/v1/accounts/signup', { json })
  expect({ status, body }).toMatchObject({ status: 201 })
  const { tenant, account, api_key: agent } = body
  const path = (rest: string) => `/v1/accounts/tenants/${tenant.tenant_id}${rest}`
  const ids = { account_id: account.account_id, tenant_id: tenant.tenant_id }
  return { ...ids, browser, email, password, agent, signed_up: body, path }
}

export const goodPassword = 'a long phrase nobody guesses'

export function logIn(browser: Browser, { email, password }: Login): Promise<Answer<SessionProfile>> {
  return browser.call('POST', '/v1/accounts/login', { json: { email, password } })
}

function headersOf(
  { cookies, csrf }: Browser,
  method: string,
  { headers }: Call,
): NonNullable<Call['headers']> {
  const cookie = [...cookies].map(pair => pair.join('=')).join('; ')
  return {
    ...(cookie === '' ? {} : { cookie }),
    ...(csrf === null || method === 'GET' ? {} : { 'x-service-csrf': csrf }),
    ...headers,
  }
}

function keepCookies({ cookies }: Browser, set: readonly string[]): void {
  for (const line of set) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
}
