/** An owner of a hosted tenant with a browser. */
export interface Browsing {
  /** Logs in, looks around and logs out. */
  visit(): Promise<void>
}

const login = { email: 'owner@example.org', password: 'a long phrase nobody guesses' }

export async function signUp(url: string): Promise<Browsing> {
  const signed = await send(url, '/v1/accounts/signup', { ...login, organization: 'Soak' }, {})
  if (signed.status !== 201) throw new Error(`sign-up answered ${signed.status}`)
  return {
    async visit() {
      const begun = await send(url, '/v1/accounts/login', login, {})
      const { csrf_token } = (await begun.json()) as { csrf_token?: string }
      const cookie = begun.headers
        .getSetCookie()
        .map(line => line.split(';')[0])
        .join('; ')
      const looked = await fetch(`${url}/v1/accounts/tenants`, { headers: { cookie } })
      await looked.text()
      const ended = await send(url, '/v1/accounts/logout', {}, { cookie, 'x-service-csrf': csrf_token ?? '' })
      await ended.text()
      const statuses = [begun, looked, ended].map(({ status }) => status)
      if (statuses.some(status => status >= 300)) throw new Error(`a visit was answered with ${statuses}`)
    },
  }
}

function send(url: string, path: string, body: object, headers: Record<string, string>): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
