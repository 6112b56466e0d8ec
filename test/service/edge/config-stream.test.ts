import { afterAll, beforeAll, expect, it } from 'vitest'
import { recomputeStream } from '../../support/audit/independent-audit.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

let service: TestService

beforeAll(async () => {
  service = await startService({ unsigned: true })
})

afterAll(() => service.close())

interface Row {
  sequence: number
  kind: string
  event: string
  leaf: string
  payload: string
  salt: string
}

/** specification.md#audit-log: the stream `config` of a tenant. */
it('each change of a configuration is one event, which independent code reads back', async () => {
  const tenant = 'watched'
  const send = (method: string, path: string, json: object = {}) =>
    service.call<{ key?: { key_id: string } }>(method, path, { admin: service.admin, json })
  const of = (path: string) => `/v1/tenants/${tenant}/${path}`
  await send('POST', '/v1/tenants', { tenant_id: tenant, policy: plainPolicy, mock_actuators: ['crm'] })
  await send('PUT', of('policy'), { policy: { ...plainPolicy, review_route: 'nights' }, change_note: 'why' })
  await send('PUT', of('policy'), { ...plainPolicy, review_route: 'nights' })
  await send('POST', of('policy/rollback'), { revision: 1 })
  await send('POST', of('catalog'), { operations: [] })
  await send('PUT', of('actuators'), { actuators: [] })
  const { body } = await send('POST', of('api-keys'), { name: 'lead', scope: 'approver' })
  await send('POST', of(`api-keys/${body.key?.key_id}/revoke`))
  await send('POST', of(`api-keys/${body.key?.key_id}/revoke`))
  await send('POST', of('freeze'), { reason: 'stop' })
  await send('POST', of('unfreeze'), { reason: 'go' })
  await send('POST', of('policy/check'), { proposal: {} })

  const rows = await asReader<Row>(
    service.context.store,
    `select e.sequence, e.kind, convert_from(e.event, 'UTF8') as event, encode(e.leaf_hash, 'hex') as leaf,
      convert_from(p.payload, 'UTF8') as payload, encode(p.salt, 'base64') as salt
     from config_events e join config_payloads p using (tenant_id, sequence)
     where tenant_id = '${tenant}' order by sequence`,
  )
  expect(rows.map(({ kind }) => kind)).toEqual([
    'policy_revision',
    'actuators_revision',
    'key_issued',
    'policy_revision',
    'policy_revision',
    'catalog_revision',
    'actuators_revision',
    'key_issued',
    'key_revoked',
    'freeze',
    'unfreeze',
  ])
  const events = rows.map(({ event, payload, salt }) => ({
    event,
    salt,
    payload: JSON.parse(payload) as unknown,
  }))
  const read = recomputeStream({ tenant_id: tenant, stream: 'config', events })
  expect(read.leaves.map(leaf => leaf.toString('hex'))).toEqual(rows.map(({ leaf }) => leaf))
  const [admin] = service.admin.split('.')
  expect(read.events.map(({ principal }) => principal)).toEqual(
    rows.map(() => ({ id: admin, kind: 'admin' })),
  )
  expect(read.events[3]?.payload).toMatchObject({ revision: 2, change_note: 'why' })
  expect(read.events[7]?.payload).toMatchObject({ name: 'lead', scope: 'approver' })
  expect(JSON.stringify(read.events)).not.toContain('secret')
})
