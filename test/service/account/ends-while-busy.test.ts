import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { type HostileIssuer, startHostileIssuer } from '../../support/servers/hostile-issuer.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import type { Answer } from '../../support/service/http.ts'
import { join, type TestMember } from '../../support/service/member.ts'
import { type Browser, logIn, newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import { plantOperator } from '../../support/service/plant-operator.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

/** Whoever works while their credentials end has ended, and nobody is answered that the storage is unavailable. */
let database: FreshDatabase
let service: TestService
let owner: TestOwner
let issuer: HostileIssuer

beforeAll(async () => {
  database = await freshDatabase()
  issuer = await startHostileIssuer(() => '')
  service = await startService({
    database,
    env: {
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_LOGIN_LIMIT: '100000',
      SERVICE_LOGIN_ACCOUNT_LIMIT: '100000',
      SERVICE_OIDC_ISSUERS: JSON.stringify({
        example: { title: 'Example', issuer: issuer.url, client_id: 'gate' },
      }),
    },
    worker: null,
  })
  owner = await signUp(service.call)
})
afterAll(async () => {
  await issuer.close()
  await database.drop()
})

type Writes = readonly (() => Promise<Answer<unknown>>)[]

/** Somebody at work: what each of their credentials writes again and again, and what ends them all. */
interface Busy {
  writes: Writes[]
  end: () => Promise<Answer<unknown>[]>
}

const policy = { ...plainPolicy, review_route: 'others' }

/** An owner in three sessions changes the organization, an application and what is their own. */
async function busyMember(
  end: (member: TestMember, browsers: readonly Browser[]) => Busy['end'] | Promise<Busy['end']>,
): Promise<Busy> {
  const member = await join(service.call, owner, { owner: true })
  const colleague = await join(service.call, owner, { owner: true })
  const browsers = [member.browser, newBrowser(service.call), newBrowser(service.call)]
  for (const browser of browsers.slice(1)) expect((await logIn(browser, member)).status).toBe(200)
  const path = `/v1/accounts/members/${colleague.account_id}`
  const writes = browsers.map(({ call }) => [
    () => call('PUT', path, { json: { owner: true, roles: [] } }),
    () => call('PUT', owner.path('/policy'), { json: policy }),
    () => call('PUT', '/v1/accounts/views', { json: { views: [] } }),
  ])
  return { writes, end: await end(member, browsers) }
}

async function busyKey(scope: 'policy_author' | 'admin'): Promise<Busy> {
  const tenant_id = scope === 'admin' ? null : owner.tenant_id
  const { api_key, key } = await plantKey(service.context, {
    name: 'busy',
    scope,
    tenant_id,
    expires_at: null,
  })
  const revocation = scope === 'admin' ? '/v1/admin-keys' : `/v1/tenants/${owner.tenant_id}/api-keys`
  const end = async () => [
    await service.call('POST', `${revocation}/${key.key_id}/revoke`, { admin: service.admin, json: {} }),
  ]
  const write =
    scope === 'admin'
      ? () =>
          service.call('POST', '/v1/admin-keys', {
            admin: api_key,
            json: { name: 'one of many', scope: 'admin' },
          })
      : () => service.call('PUT', owner.path('/policy'), { key: api_key, json: policy })
  return { writes: [[write], [write]], end }
}

async function busyOperator(): Promise<Busy> {
  const { operator_id, headers } = await plantOperator(service.context)
  const { operator_id: other } = await plantOperator(service.context)
  const write = () =>
    service.call('POST', `/v1/operators/${other}/role`, { headers, json: { role: 'operator' } })
  const end = async () => [
    await service.call('POST', `/v1/operators/${operator_id}/remove`, { admin: service.admin }),
  ]
  return { writes: [[write], [write]], end }
}

/** A logout token of the issuer at which all sessions of an owner began. */
async function leavesAtIssuer({ account_id }: TestMember): Promise<Busy['end']> {
  await asSuperuser(
    database,
    `update action_gate.sessions set issuer = '${issuer.url}', subject = '${account_id}' where account_id = '${account_id}'`,
  )
  const logout_token = issuer.logoutToken({ sub: account_id })
  return async () => [
    await service.call('POST', '/v1/accounts/sign-in/example/logout', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      raw: String(new URLSearchParams({ logout_token })),
    }),
  ]
}

const people: Record<string, () => Promise<Busy>> = {
  'a log-out everywhere, from each session at once': () =>
    busyMember(
      (_member, browsers) => () =>
        Promise.all(
          browsers.map(({ call }) => call('POST', '/v1/accounts/logout', { json: { everywhere: true } })),
        ),
    ),
  'a removal': () =>
    busyMember(({ account_id }) => async () => [
      await owner.browser.call('POST', `/v1/accounts/members/${account_id}/remove`),
    ]),
  'a log-out at the issuer': () => busyMember(leavesAtIssuer),
  'a lesser role': () =>
    busyMember(({ account_id }) => async () => [
      await owner.browser.call('PUT', `/v1/accounts/members/${account_id}`, {
        json: { owner: false, roles: [] },
      }),
    ]),
  'a revocation of a key': () => busyKey('policy_author'),
  'a revocation of an admin key': () => busyKey('admin'),
  'a removal of an operator': busyOperator,
}

const isOver = (status: number) => status === 401 || status === 403

/** One write after another until the credential has ended; `begun` once each was made. */
async function work(writes: Writes, statuses: number[], begun: () => void): Promise<void> {
  for (let nth = 0; nth < 1_000; nth++) {
    for (const write of writes) statuses.push((await write()).status)
    begun()
    if (isOver(statuses.at(-1) ?? 0)) return
  }
}

it.each(Object.entries(people))(
  '%s ends what somebody works with',
  async (_name, begin) => {
    for (let round = 0; round < 3; round++) {
      const { writes, end } = await begin()
      const statuses: number[] = []
      const working: Promise<void>[] = []
      const twice = [...writes, ...writes]
      await Promise.all(twice.map(of => new Promise<void>(begun => working.push(work(of, statuses, begun)))))
      expect(statuses.filter(status => status >= 300)).toEqual([])
      const ended = (await end()).map(({ status }) => status)
      await Promise.all(working)
      expect(ended).toContain(200)
      expect(ended.filter(status => status !== 200 && !isOver(status))).toEqual([])
      expect(statuses.filter(status => status >= 300 && !isOver(status))).toEqual([])
    }
  },
  120_000,
)

it('none of them waits for one another', async () => {
  await service.close()
  const text = 'select deadlocks::int4 as count from pg_stat_database where datname = current_database()'
  expect(await asSuperuser(database, text)).toEqual([{ count: 0 }])
})
