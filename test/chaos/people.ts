import { setTimeout as pause } from 'node:timers/promises'
import type { Reply } from './insist.ts'
import { apiNames } from './settings.ts'
import type { World } from './world.ts'

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

/** Somebody whom the owner invited. */
export interface Person {
  visitor: Visitor
  account_id: string
}

export interface Asking {
  method: string
  path: string
  body?: object
}

const password = 'a long phrase nobody guesses'
const answerMsMax = 6_000
const againMs = 250
const triesMax = 200

/** Null where nothing was answered, or nothing that could be read. */
export async function visit(
  url: string,
  visitor: Visitor,
  { method, path, body }: Asking,
): Promise<Reply | null> {
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

/** Of one API after the other until one answers anything but an error of its own. */
export async function insistAs(world: World, visitor: Visitor, asking: Asking): Promise<Reply> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const url = world.processes.get(apiNames[tries % apiNames.length] ?? apiNames[0])?.ready()?.url
    const answer = url === undefined ? null : await visit(String(url), visitor, asking)
    if (answer !== null && answer.status < 500) return answer
    await pause(againMs)
  }
  throw new Error(`${asking.method} ${asking.path} was never answered`)
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

/** Invites somebody who may do everything; where an answer was lost, somebody else is invited. */
export async function invitePerson(world: World, name: string): Promise<Person> {
  const owner = world.keys.owner.visitor
  for (let tries = 0; tries < triesMax; tries += 1) {
    const grants = { label: 'Somebody', owner: true, roles: [] }
    const invited = await insistAs(world, owner, {
      method: 'POST',
      path: '/v1/accounts/invitations',
      body: grants,
    })
    if (invited.status !== 201) throw new Error(`nobody can be invited: ${JSON.stringify(invited)}`)
    const token = new URL((invited.body as { invitation_url: string }).invitation_url).hash.slice(1)
    const visitor = newVisitor()
    const login = { token, email: `${name}-${tries}@example.org`, password }
    const path = '/v1/accounts/invitations/accept'
    const accepted = await insistAs(world, visitor, { method: 'POST', path, body: login })
    const { account } = accepted.body as { account?: { account_id: string } }
    if (accepted.status === 201 && account) return { visitor, account_id: account.account_id }
  }
  throw new Error('no invitation can be accepted')
}

function newVisitor(): Visitor {
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
