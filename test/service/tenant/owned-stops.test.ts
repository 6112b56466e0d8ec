import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { FreezeState } from '../../../shared/contract/configuration/freeze-schema.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'

/** Whoever runs the service stops an application against its owner, too. */
let service: TestService
let owner: TestOwner

beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' }, worker: null })
  owner = await signUp(service.call)
})
afterAll(() => service.close())

type Stop = FreezeState & Problem

const byOwner = (verb: 'pause' | 'resume', json: object) =>
  owner.browser.call<Stop>('POST', owner.path(`/${verb}`), { json: { reason: 'of the owner', ...json } })

const byOperator = (verb: 'pause' | 'resume', json: object) =>
  service.call<Stop>('POST', `/v1/tenants/${owner.tenant_id}/${verb}`, {
    admin: service.admin,
    json: { reason: 'of the operator', ...json },
  })

const reasons = ({ body }: { body: Stop }) => body.freezes.map(({ reason }) => reason)

describe('a pause', () => {
  it('of an owner is lifted by the owner, or by an operator', async () => {
    for (const lift of [byOwner, byOperator]) {
      expect(reasons(await byOwner('pause', { system: 'payments' }))).toEqual(['of the owner'])
      expect(await lift('resume', { system: 'payments' })).toMatchObject({
        status: 200,
        body: { freezes: [] },
      })
    }
  })

  it('of an operator is lifted by an operator alone', async () => {
    await byOperator('pause', { system: null })
    expect(await byOwner('resume', { system: null })).toMatchObject({
      status: 409,
      body: { code: 'stopped_by_operator' },
    })
    expect((await byOperator('resume', { system: null })).body.freezes).toEqual([])
  })

  it('of both is the operator’s, whoever was first', async () => {
    await byOwner('pause', { system: 'payments' })
    expect(reasons(await byOperator('pause', { system: 'payments' }))).toEqual(['of the operator'])
    expect(reasons(await byOwner('pause', { system: 'payments' }))).toEqual(['of the operator'])
    expect((await byOwner('resume', { system: 'payments' })).body.code).toBe('stopped_by_operator')
    const url = databaseUrl(service.database)
    const checked = await checkDatabase({ url, trusted: [], kept: [], resume: null, onPage: () => undefined })
    expect(checked.differences).toEqual({ found: 0, listed: [] })
    await byOperator('resume', { system: 'payments' })
  })
})
