import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { copyOf, tamper } from '../../support/audit/tamper.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { askForGrant } from '../../support/service/ask-for-grant.ts'
import { databaseUrl, startService } from '../../support/service/service.ts'

/** What verdicts, uses and events say of grants is one: whatever else is stored is found by the check of the database. */

let original: FreshDatabase
const copies: FreshDatabase[] = []
let tenantId: string
let granted: string
let plain: string

beforeAll(async () => {
  original = await freshDatabase()
  const service = await startService({ database: original })
  const tenant = await service.tenant({ issued: true })
  tenantId = tenant.id
  const admin = (path: string, json: object) =>
    service.call<{ grant_id: string }>('POST', `/v1/tenants/${tenantId}/${path}`, {
      admin: service.admin,
      json,
    })
  const make = (contact: number) =>
    askForGrant(service, tenant, { constraints: { contact: { equals: contact } }, uses_max: 5 })
  await make(42)
  const { body } = await make(43)
  await admin(`grants/${body.grant_id}/revoke`, { reason: 'of a test' })
  granted = (await tenant.submit({ risk: 'high' })).body.action_id
  plain = (await tenant.submit()).body.action_id
  for (const id of [granted, plain]) await tenant.settled(id)
  await service.close()
})
afterEach(async () => {
  for (const copy of copies.splice(0)) await copy.drop()
})
afterAll(() => original.drop())

async function problemsAfter(...statements: string[]): Promise<string[]> {
  const copy = await copyOf(original)
  copies.push(copy)
  await tamper(copy, ...statements)
  const { differences } = await checkDatabase({
    url: databaseUrl(copy),
    trusted: [],
    kept: [],
    resume: null,
    onPage: () => undefined,
  })
  return differences.listed.map(({ problem }) => problem)
}

it('nothing is found where nothing was done', async () => {
  expect(await problemsAfter('select 1')).toEqual([])
})

it.each<[string, () => string, RegExp]>([
  ['a use that was deleted', () => 'delete from grant_uses', /names a grant of which it is no use/],
  [
    'a use of an action that nothing granted',
    () => `insert into grant_uses select tenant_id, grant_id, 2, '${plain}' from grant_uses`,
    /is a use of a grant, and its verdict names none/,
  ],
  ['a use of another number', () => 'update grant_uses set use = 2', /names another use of a grant/],
  [
    'a clause that was changed',
    () =>
      `update bounded_grants set clause = convert_to(replace(convert_from(clause, 'UTF8'), '42', '41'), 'UTF8') where revoked_at is null`,
    /grant grt_.*: clause is/,
  ],
  [
    'a grant that is not revoked any more',
    () => 'update bounded_grants set revoked_at = null',
    /grant grt_.*: revoked is false and by the events true/,
  ],
  [
    'a grant that nobody made',
    () =>
      `insert into bounded_grants select tenant_id, 'grt_x', clause, clause_hash, uses_max, ends_at, note, author, created_at from bounded_grants where revoked_at is null`,
    /grant grt_x: it is stored, and no event put it in force/,
  ],
])('%s is found', async (_, statement, problem) => {
  expect(await problemsAfter(statement())).toEqual([expect.stringMatching(problem)])
})
