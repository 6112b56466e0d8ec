import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfigFile } from '../../../shared/flow/service/config-file.ts'
import { seedTenants } from '../../../shared/flow/tenant/tenants.ts'
import { ConfigError } from '../../../shared/runtime/settings/config.ts'
import { startService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

let directory: string
let path: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'action-gate-config-'))
  path = join(directory, 'config.json')
})

afterAll(() => rm(directory, { recursive: true, force: true }))

async function read(content: unknown) {
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return readConfigFile(path)
}

async function refused(content: unknown): Promise<string[]> {
  const error = await read(content).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ConfigError)) throw new Error(`not refused: ${String(error)}`)
  return error.issues.map(issue => issue.path.replace(`${path}: `, ''))
}

const shop = { tenant_id: 'shop', mock_actuators: ['crm'], policy: plainPolicy }
const withPolicy = (change: object) => ({ tenants: [{ ...shop, policy: { ...plainPolicy, ...change } }] })

describe('the configuration file', () => {
  it('has tenants with policies, mocks, and actuators with settings', async () => {
    const actuators = [
      { name: 'crm', kind: 'mock', settings: { delay_ms: 5, outcome: 'retry', idempotency: 'none' } },
      { name: 'erp', kind: 'module' },
    ]
    const config = await read({ tenants: [{ ...shop, actuators }] })
    expect(config.tenants[0]).toMatchObject({
      tenant_id: 'shop',
      mock_actuators: ['crm'],
      actuators: [actuators[0], { name: 'erp', kind: 'module', settings: {} }],
    })
    expect(await read({ tenants: [] })).toEqual({ tenants: [] })
  })

  it.each<[string, unknown, string[]]>([
    ['no object', '[]', ['']],
    ['no tenants', {}, ['tenants']],
    ['an unknown field', { tenants: [], keys: [] }, ['keys']],
    ['an unknown field of a tenant', { tenants: [{ ...shop, api_key: 'x' }] }, ['tenants[0].api_key']],
    ['no policy', { tenants: [{ tenant_id: 'shop' }] }, ['tenants[0].policy']],
    ['a tenant id with a slash', { tenants: [{ ...shop, tenant_id: 'a/b' }] }, ['tenants[0].tenant_id']],
    ['a tenant twice', { tenants: [shop, shop] }, ['tenants[1].tenant_id']],
    ['an unknown field of a policy', withPolicy({ extra: 1 }), ['tenants[0].policy.extra']],
    ['an empty review route', withPolicy({ review_route: '' }), ['tenants[0].policy.review_route']],
    [
      'a contradiction in a policy',
      withPolicy({ parameter_constraints: { crm: { read: { id: { min: 2, max: 1 } } } } }),
      ['tenants[0].policy.parameter_constraints.crm.read.id'],
    ],
    [
      'an unknown kind of actuator',
      { tenants: [{ ...shop, actuators: [{ name: 'x', kind: 'shell' }] }] },
      ['tenants[0].actuators[0].kind'],
    ],
    [
      'an unknown setting',
      { tenants: [{ ...shop, actuators: [{ name: 'x', kind: 'mock', settings: { fail: true } }] }] },
      ['tenants[0].actuators[0].settings.fail'],
    ],
    [
      'a mock’s name with a space',
      { tenants: [{ ...shop, mock_actuators: ['a b'] }] },
      ['tenants[0].mock_actuators[0]'],
    ],
  ])('with %s is refused with the path', async (_name, content, paths) => {
    const found = await refused(content)
    expect(found.filter(at => paths.some(wanted => at.startsWith(wanted)))).toHaveLength(found.length)
    expect(found.length).toBeGreaterThanOrEqual(paths.length)
  })

  it.each([
    ['half a text', '{"tenants": ['],
    ['a name twice', '{"tenants": [], "tenants": []}'],
    ['a comment', '{"tenants": []} // none'],
    ['a byte-order mark', '\ufeff{"tenants": []}'],
    ['nothing', ''],
  ])('that is %s is refused', async (_name, text) => {
    expect(await refused(text)).toHaveLength(1)
  })

  it('that is not there is refused by its flag', () => {
    expect(() => readConfigFile(join(directory, 'missing.json'))).toThrow(/--config: cannot be read: ENOENT/)
    expect(() => readConfigFile(directory)).toThrow(/--config: cannot be read: EISDIR/)
  })
})

describe('seeding', () => {
  it('inserts the tenants that are missing and leaves the others as they are', async () => {
    const service = await startService({ worker: null })
    try {
      const list = async () => {
        const { body } = await service.call<{
          tenants: { tenant_id: string; policy: { review_route: string } }[]
        }>('GET', '/v1/tenants', { admin: service.admin })
        return Object.fromEntries(
          body.tenants.map(({ tenant_id, policy }) => [tenant_id, policy.review_route]),
        )
      }
      await seedTenants(service.context, await read({ tenants: [shop] }))
      expect(await list()).toEqual({ shop: 'leads' })
      const changed = { ...shop, policy: { ...plainPolicy, review_route: 'others' } }
      await seedTenants(service.context, await read({ tenants: [changed, { ...changed, tenant_id: 'new' }] }))
      expect(await list()).toEqual({ shop: 'leads', new: 'others' })
    } finally {
      await service.close()
    }
  })
})
