import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { FreezeState } from '../../../shared/contract/configuration/freeze-schema.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import { proposal } from '../../support/service/tenant.ts'

/** Whoever runs the service stops an application against its owner, too. */
let service: TestService
let owner: TestOwner

beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' }, worker: null })
  owner = await signUp(service.call)
})
afterAll(() => service.close())

type Stop = FreezeState & Problem
type Refused = { blocking_reasons: string[] }

/** How a stop is begun and ended. */
type Verbs = readonly [stop: 'pause' | 'freeze', lift: 'resume' | 'unfreeze']

const byOwner = (verb: Verbs[number], json: object) =>
  owner.browser.call<Stop>('POST', owner.path(`/${verb}`), { json: { reason: 'of the owner', ...json } })

const byOperator = (verb: Verbs[number], json: object) =>
  service.call<Stop>('POST', `/v1/tenants/${owner.tenant_id}/${verb}`, {
    admin: service.admin,
    json: { reason: 'of the operator', ...json },
  })

const reasons = ({ body }: { body: Stop }) => body.freezes.map(({ reason }) => reason)

describe.each<Verbs>([
  ['pause', 'resume'],
  ['freeze', 'unfreeze'],
])('a %s', (stop, lift) => {
  it('of an owner is lifted by the owner, or by an operator', async () => {
    for (const by of [byOwner, byOperator]) {
      expect(reasons(await byOwner(stop, { system: 'payments' }))).toEqual(['of the owner'])
      expect(await by(lift, { system: 'payments' })).toMatchObject({ status: 200, body: { freezes: [] } })
    }
  })

  it('of an operator is lifted by an operator alone', async () => {
    await byOperator(stop, { system: null })
    expect(await byOwner(lift, { system: null })).toMatchObject({
      status: 409,
      body: { code: 'stopped_by_operator' },
    })
    expect((await byOperator(lift, { system: null })).body.freezes).toEqual([])
  })

  it('of both is the operator’s, whoever was first', async () => {
    await byOwner(stop, { system: 'payments' })
    expect(reasons(await byOperator(stop, { system: 'payments' }))).toEqual(['of the operator'])
    expect(reasons(await byOwner(stop, { system: 'payments' }))).toEqual(['of the operator'])
    expect((await byOwner(lift, { system: 'payments' })).body.code).toBe('stopped_by_operator')
    const url = databaseUrl(service.database)
    const checked = await checkDatabase({ url, trusted: [], kept: [], resume: null, onPage: () => undefined })
    expect(checked.differences).toEqual({ found: 0, listed: [] })
    await byOperator(lift, { system: 'payments' })
  })
})

it('a freeze of an owner denies what its agents propose', async () => {
  const reasonsOf = async (id: string) => {
    const json = proposal({ system: 'payments', proposal_id: id })
    const { body } = await service.call<Refused>('POST', '/v1/actions', { key: owner.agent, json })
    return body.blocking_reasons.map(reason => reason.split(':')[0])
  }
  await byOwner('freeze', { system: 'payments' })
  expect(await reasonsOf('frozen')).toContain('frozen')
  await byOwner('unfreeze', { system: 'payments' })
  expect(await reasonsOf('thawed')).not.toContain('frozen')
})
