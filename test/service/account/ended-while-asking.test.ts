import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type EndingCredential,
  endBeforeWriting,
  endDuringBody,
  endingKey,
  endingOperator,
  endingSession,
  type Writing,
  writtenIn,
} from '../../support/service/end-while-asking.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
let owner: TestOwner

beforeAll(async () => {
  service = await startService({
    worker: null,
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '1000000' },
  })
  owner = await signUp(service.call)
})

afterAll(() => service.close())

const credentials: Record<string, () => Promise<EndingCredential>> = {
  'an admin key': () => endingKey(service, 'admin', null),
  'a session of an operator': () => endingOperator(service),
  'a session of an owner': () => endingSession(service, owner.account_id),
  'a key of a member’s role': () => endingKey(service, 'operator', owner.tenant_id),
}

/** One row of each way to write: keys, tenants, organizations, configuration. */
const writings: readonly { by: string; what: string; writing: () => Writing }[] = [
  {
    by: 'an admin key',
    what: 'mints no admin key',
    writing: () => json('POST', '/v1/admin-keys', { name: 'late' }),
  },
  {
    by: 'a session of an operator',
    what: 'invites no operator',
    writing: () => json('POST', '/v1/operators', { label: 'Late', role: 'operator' }),
  },
  {
    by: 'a session of an owner',
    what: 'invites no owner',
    writing: () => json('POST', '/v1/accounts/invitations', { label: 'Late', owner: true, roles: [] }),
  },
  {
    by: 'a session of an owner',
    what: 'makes no application',
    writing: () => json('POST', '/v1/accounts/tenants', { name: 'Late', template: 'support' }),
  },
  {
    by: 'a key of a member’s role',
    what: 'freezes nothing',
    writing: () => json('POST', owner.path('/freeze'), { reason: 'late' }),
  },
]

function json(method: string, path: string, body: unknown): Writing {
  return { method, path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

describe.each(writings)('$by', ({ by, what, writing }) => {
  it.each([
    ['during its body', endDuringBody],
    ['before its first write', endBeforeWriting],
  ] as const)(`${what} where it ends %s`, async (_, ask) => {
    const credential = await (credentials[by] as () => Promise<EndingCredential>)()
    const before = await writtenIn(service, credential)
    expect(await ask(service, writing(), credential)).toBe(credential.refusal)
    expect(await writtenIn(service, credential)).toEqual(before)
  })
})

it('a key that is good mints another', async () => {
  const made = await service.call('POST', '/v1/admin-keys', {
    admin: service.admin,
    json: { name: 'in time' },
  })
  expect(made.status).toBe(201)
})

it('an admin key that ends while it asks allows no host of this machine', async () => {
  const { context } = service
  const { mode } = context
  context.mode = 'embedded'
  try {
    const writing = json('POST', '/v1/local-hosts', { host: '127.0.0.1:9' })
    const credential = await endingKey(service, 'admin', null)
    expect(await endDuringBody(service, writing, credential)).toBe(credential.refusal)
    expect(context.localHosts.names()).toEqual([])
  } finally {
    context.mode = mode
  }
})
