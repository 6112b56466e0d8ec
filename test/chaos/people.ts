/** A browser, with the cookies of its session and the token that it shows with writes. */
export interface Visitor {
  cookies: Map<string, string>
  csrf: string | null
}

/** Who signed up for the organization of a run, and its application. */
export interface Owner {
  visitor: Visitor
  tenant_id: string
  agent: string
}

export interface Answer {
  status: number
  body: unknown
}

export interface Asking {
  method: string
  path: string
  body?: object
}

export const password = 'a long phrase nobody guesses'
const answerMsMax = 6_000

/** Null where nothing was answered, or nothing that could be read. */
export async function visit(
  url: string,
  visitor: Visitor,
  { method, path, body }: Asking,
): Promise<Answer | null> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: headersOf(visitor, body),
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(answerMsMax),
    })
    const answer = (await response.json()) as { csrf_token?: string }
    keepSession(visitor, response.headers.getSetCookie(), answer)
    return { status: response.status, body: answer }
  } catch {
    return null // broken off, refused or too late: that says nothing about what was done
  }
}

/** Makes the organization and its application, whose actions are held where they are of high risk. */
export async function signUpOwner(url: string): Promise<Owner> {
  const visitor = newVisitor()
  const body = { email: 'owner@example.org', password, organization: 'Chaos', template: 'support' }
  const made = await visit(url, visitor, { method: 'POST', path: '/v1/accounts/signup', body })
  if (made?.status !== 201) throw new Error(`nobody can sign up: ${JSON.stringify(made)}`)
  const { tenant, api_key } = made.body as { tenant: { tenant_id: string }; api_key: string }
  return { visitor, tenant_id: tenant.tenant_id, agent: api_key }
}

export function newVisitor(): Visitor {
  return { cookies: new Map(), csrf: null }
}

function headersOf({ cookies, csrf }: Visitor, body: object | undefined): Record<string, string> {
  const cookie = [...cookies].map(pair => pair.join('=')).join('; ')
  return {
    ...(cookie === '' ? {} : { cookie }),
    ...(csrf === null ? {} : { 'x-service-csrf': csrf }),
    ...(body ? { 'content-type': 'application/json' } : {}),
    prefer: 'wait=0',
  }
}

/** A cookie that is taken away stays, so that the session goes on being asked with after its end. */
function keepSession(
  visitor: Visitor,
  set: readonly string[],
  { csrf_token }: { csrf_token?: string },
): void {
  for (const line of set) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value !== '') visitor.cookies.set(name, value)
  }
  if (csrf_token) visitor.csrf = csrf_token
}
