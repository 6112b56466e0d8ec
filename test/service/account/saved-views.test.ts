import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SavedView, SavedViews } from '../../../shared/contract/action/inbox-schema.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { join } from '../../support/service/member.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '100000' },
    worker: null,
  })
})
afterAll(() => service.close())

const path = '/v1/accounts/views'
const refunds: SavedView = { name: 'Refunds', by: 'agent_id', filters: { operation: 'refund', risk: 'high' } }

type Someone = Pick<TestOwner, 'browser'>

const read = async ({ browser }: Someone) => (await browser.call<SavedViews>('GET', path)).body.views
const save = ({ browser }: Someone, views: readonly object[]) =>
  browser.call<SavedViews & Problem>('PUT', path, { json: { views } })

it('views are kept in their order, for the person alone', async () => {
  const owner = await signUp(service.call)
  const member = await join(service.call, owner, { owner: true })
  expect(await read(owner)).toEqual([])
  const letters: SavedView = { name: 'Letters', by: null, filters: { search: 'letter' } }
  expect(await save(owner, [refunds, letters])).toMatchObject({
    status: 200,
    body: { views: [refunds, letters] },
  })
  expect(await read(owner)).toEqual([refunds, letters])
  expect(await read(member)).toEqual([])
  await save(member, [letters])
  await save(owner, [letters, refunds])
  expect(await read(owner)).toEqual([letters, refunds])
  expect(await read(member)).toEqual([letters])
  expect(await service.call('GET', path)).toMatchObject({ status: 401 })
})

it.each([
  ['a name that is used before', [refunds, { ...refunds, name: ' ＲEFUNDS' }]],
  ['a blank name', [{ ...refunds, name: '  ' }]],
  ['a name with invisible characters', [{ ...refunds, name: 'Re\u200bfunds' }]],
  ['a filter that no inbox has', [{ ...refunds, filters: { colour: 'red' } }]],
  ['a grouping that no inbox has', [{ ...refunds, by: 'colour' }]],
  [
    'too many',
    Array.from({ length: limits.saved_views_max + 1 }, (_, at) => ({ ...refunds, name: `v${at}` })),
  ],
])('%s is refused, and nothing is saved', async (_, views) => {
  const owner = await signUp(service.call)
  await save(owner, [refunds])
  expect(await save(owner, views)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  expect(await read(owner)).toEqual([refunds])
})

it('nothing is left of the views of a member who was removed', async () => {
  const owner = await signUp(service.call)
  const member = await join(service.call, owner, { owner: true })
  await save(member, [refunds])
  const removed = `/v1/accounts/members/${member.account_id}/remove`
  expect((await owner.browser.call('POST', removed, { json: {} })).status).toBe(200)
  const left = await asSuperuser(
    service.database,
    `select from action_gate.saved_views where account_id = '${member.account_id}'`,
  )
  expect(left).toEqual([])
})
