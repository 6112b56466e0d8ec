import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeActions } from '../../shared/flow/core/change-action.ts'
import { reject } from '../../shared/lifecycle/decide.ts'
import {
  listActions,
  readAction,
  readActionByProposal,
  readVersions,
} from '../../shared/store/action/actions.ts'
import { startService, type TestService } from '../support/service/service.ts'
import type { TestTenant } from '../support/service/tenant.ts'

/** The queries name their tenant: this holds where the database would let them see every row. */
let service: TestService
let ours: TestTenant
let theirs: TestTenant
let foreign: string

beforeAll(async () => {
  service = await startService({ worker: null })
  ;[ours, theirs] = await Promise.all([service.tenant(), service.tenant()])
  foreign = (await theirs.submit({ risk: 'high', proposal_id: 'theirs' })).body.action_id
})

afterAll(() => service.close())

describe('without row-level security, another tenant’s action', () => {
  it('is read by its own tenant alone', async () => {
    const { store } = service.context
    const found = (id: string) =>
      store.read('all', async reader => [
        (await readAction(reader, id, foreign)) !== null,
        (await readVersions(reader, [{ tenant_id: id, action_id: foreign, key_id: null }]))[0] !== null,
        (await readActionByProposal(reader, id, 'theirs')) !== null,
        (await listActions(reader, { tenantId: id, statuses: ['pending_approval'], limit: 10, before: null }))
          .length > 0,
      ])
    expect(await found(theirs.id)).toEqual([true, true, true, true])
    expect(await found(ours.id)).toEqual([false, false, false, false])
  })

  it('is not decided in a transaction that has both tenants in its scope', async () => {
    const own = (await theirs.submit({ risk: 'high' })).body.action_id
    const decide = reject({ id: 'apk_1', kind: 'approver' }, {})
    const answers = await changeActions(service.context, [
      { action_id: foreign, tenant_id: ours.id, decide },
      { action_id: own, tenant_id: theirs.id, decide },
    ])
    expect(answers.map(answer => (answer.ok ? 'done' : answer.error.reason))).toEqual(['not_found', 'done'])
    expect((await theirs.trace(foreign)).status).toBe('pending_approval')
  })
})
