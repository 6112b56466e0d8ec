import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ApiKey } from '../../../shared/contract/configuration/tenant.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let keys: FreshDatabase
let service: TestService

beforeAll(async () => {
  keys = await freshDatabase()
  service = await startService({ keys, worker: null })
})

afterAll(async () => {
  await service.close()
  await keys.drop()
})

function admin<Body>(method: string, path: string, json?: unknown) {
  return service.call<Body>(method, path, { admin: service.admin, ...(json === undefined ? {} : { json }) })
}

/** Ids of the keys whose revocation stands in the configuration stream of a tenant. */
async function revocations(tenantId: string): Promise<string[]> {
  const rows = await asReader<{ key_id: string }>(
    service.context.store,
    `select convert_from(p.payload, 'UTF8')::json ->> 'key_id' as key_id
     from config_events e join config_payloads p using (tenant_id, sequence)
     where e.tenant_id = '${tenantId}' and e.kind = 'key_revoked' order by e.sequence`,
  )
  return rows.map(({ key_id }) => key_id)
}

it('a revocation whose event was lost is recorded by the next one, once', async () => {
  const { id } = await service.tenant()
  const path = `/v1/tenants/${id}/api-keys`
  const minted = await admin<{ key: ApiKey }>('POST', path, { name: 'lost', scope: 'agent' })
  const { key_id } = minted.body.key
  // What a commit in the database of keys leaves whose transaction in that of tenants came to nothing.
  await asWriter(
    service.context.keys,
    `update api_keys set revoked_at = clock_timestamp() where key_id = '${key_id}' returning key_id`,
  )
  expect(await revocations(id)).toEqual([])
  for (let times = 0; times < 2; times += 1) {
    const revoked = await admin<{ key: ApiKey }>('POST', `${path}/${key_id}/revoke`)
    expect(revoked).toMatchObject({ status: 200, body: { key: { key_id, revoked: true } } })
    expect(await revocations(id)).toEqual([key_id])
  }
})
