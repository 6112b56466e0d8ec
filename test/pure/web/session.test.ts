import { beforeEach, expect, it, vi } from 'vitest'
import type { SessionProfile } from '../../../shared/contract/account.ts'

vi.mock('virtual:endpoints', () => ({
  rows: {
    read_session: ['GET', '/v1/accounts/session'],
    log_out: ['POST', '/v1/accounts/logout'],
    create_owned_tenant: ['POST', '/v1/accounts/tenants'],
  },
}))

const ada = profile('ada', 'token of ada')
const bob = profile('bob', 'token of bob')
const body = { name: 'Shop', template: 'support' }

interface Asked {
  path: string
  csrf: string | null
  answer(status: number, json: object): void
}

/** Requests of the page that wait for an answer. */
let asked: Asked[]

/** As much of the page as is tested; its types need a browser's. */
interface Web {
  call(name: 'create_owned_tenant', input: object): Promise<unknown>
  startSession(): void
  sessionBegan(profile: SessionProfile): void
  resumeSession(): Promise<void>
  signOut(everywhere: boolean): Promise<void>
}

const folder = '../../../api/web/lib'

/** A page of its own for every test: what it knows of the session stands in its modules. */
async function signedIn(as: SessionProfile): Promise<Web> {
  vi.resetModules()
  const parts = await Promise.all([import(`${folder}/call.ts`), import(`${folder}/session/session.ts`)])
  const web = Object.assign({}, ...parts) as Web
  web.startSession()
  web.sessionBegan(as)
  return web
}

beforeEach(() => {
  asked = []
  const stored = new Map<string, string>()
  vi.stubGlobal('window', {
    localStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    },
    sessionStorage: {},
    addEventListener: () => undefined,
  })
  vi.stubGlobal('fetch', (path: string, { headers }: RequestInit) => {
    const csrf = new Headers(headers).get('x-service-csrf')
    return new Promise<Response>(resolve => {
      asked.push({ path, csrf, answer: (status, json) => resolve(Response.json(json, { status })) })
    })
  })
})

it('a request of one person is never sent again as the next who signs in elsewhere', async () => {
  const { call } = await signedIn(ada)
  const both = [call('create_owned_tenant', { body }), call('create_owned_tenant', { body })]
  const refusals = Promise.allSettled(both)
  const [first, second] = asked
  first?.answer(403, problem('csrf_refused'))
  await expect.poll(() => asked.length).toBe(3)
  asked[2]?.answer(200, bob)
  await both[0]?.catch(() => undefined)
  second?.answer(403, problem('csrf_refused'))
  expect((await refusals).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(asked.filter(({ path }) => path === '/v1/accounts/tenants')).toHaveLength(2)
})

it('a refusal that comes after the same person signed in again is sent again at once', async () => {
  const { call, sessionBegan } = await signedIn(ada)
  const late = call('create_owned_tenant', { body })
  sessionBegan(profile('ada', 'a new token of ada'))
  asked[0]?.answer(401, problem('session_required'))
  await expect.poll(() => asked.length).toBe(2)
  expect(asked[1]).toMatchObject({ path: '/v1/accounts/tenants', csrf: 'a new token of ada' })
  asked[1]?.answer(201, { tenant: {} })
  await expect(late).resolves.toEqual({ tenant: {} })
})

it('a tab signs out of the session that another tab of the same person began', async () => {
  const { signOut } = await signedIn(ada)
  const leaving = signOut(false)
  asked[0]?.answer(403, problem('csrf_refused'))
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.answer(200, profile('ada', 'a new token of ada'))
  await expect.poll(() => asked.length).toBe(3)
  expect(asked[2]).toMatchObject({ path: '/v1/accounts/logout', csrf: 'a new token of ada' })
  asked[2]?.answer(200, { ended: 1, end_session_url: null })
  await leaving
})

it('what waits for a session goes on with one of the same person only', async () => {
  const { call, resumeSession } = await signedIn(ada)
  const waiting = call('create_owned_tenant', { body })
  const refused = expect(waiting).rejects.toThrow('session_required')
  asked[0]?.answer(401, problem('session_required'))
  const otherTab = () => {
    void resumeSession()
    return asked.length
  }
  await expect.poll(otherTab).toBe(2)
  asked[1]?.answer(200, bob)
  await refused
  expect(asked.filter(({ path }) => path === '/v1/accounts/tenants')).toHaveLength(1)
})

function profile(account_id: string, csrf_token: string): SessionProfile {
  const at = '2026-11-01T00:00:00.000Z'
  return {
    account: { account_id, email: `${account_id}@example.org`, created_at: at },
    organization: { organization_id: `org_${account_id}`, name: 'Shop' },
    owner: true,
    roles: [],
    identity: null,
    csrf_token,
    expires_at: at,
    idle_expires_at: at,
  }
}

function problem(code: string) {
  return { type: `urn:${code}`, title: code, status: 401, detail: code, code, request_id: 'req_1' }
}
