import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../shared/contract/base/errors.ts'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { signUp, type TestOwner } from '../support/service/owner.ts'
import { startService, type TestService } from '../support/service/service.ts'

/** The column of the matrix of routes and credentials that authentication.test.ts has not: a session, where a key is due. */
const keyed = Object.values(endpoints as Record<string, Endpoint>)
  .filter(({ access }) => !['none', 'session', 'member', 'operator'].includes(access))
  .map(({ method, path, access }) => ({ route: `${method} ${path}`, method, path, access }))
let service: TestService
let owner: TestOwner

beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
  owner = await signUp(service.call)
})

afterAll(() => service.close())

const concrete = (path: string) =>
  path.replace('{tenant_id}', owner.tenant_id).replace(/\{\w+\}/g, `act_${'0'.repeat(36)}`)

describe('a session', () => {
  it('was tried on every route that needs a key', () => {
    expect(keyed.length).toBeGreaterThan(20)
  })

  it.each(keyed)('is no key on $route', async ({ method, path }) => {
    const { status, body } = await owner.browser.call<Problem>(method, concrete(path))
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'credential_required' })
  })

  it.each(keyed.filter(({ access }) => access !== 'admin'))(
    'is no key in another header either, on $route',
    async ({ method, path }) => {
      const token = owner.browser.cookies.get('service_session') ?? ''
      const { status, body } = await service.call<Problem>(method, concrete(path), { key: token })
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'invalid_key' })
    },
  )
})
