import { expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { ToolProposal } from '../../../shared/contract/configuration/tool-import.ts'
import { signUp } from '../../support/service/owner.ts'
import { startService } from '../../support/service/service.ts'

it('an owner imports what names secrets of the tenant, and no tool of others', async () => {
  const service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' }, worker: null })
  const owner = await signUp(service.call)
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop' },
    servers: [{ url: 'https://shop.example' }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: { '/orders': { get: { operationId: 'list' } } },
  }
  const source = { kind: 'openapi', text: JSON.stringify(document) }
  const { body } = await owner.browser.call<ToolProposal>('POST', owner.path('/tool-imports'), {
    json: { source },
  })
  expect(body.credentials).toMatchObject([{ name: 'shop_token', source: 'tenant' }])
  const operations = body.operations.map(({ entry }) => entry)
  const put = await owner.browser.call('PUT', owner.path('/tools/shop'), {
    json: { actuator: body.actuator, operations },
  })
  expect(put.status).toBe(200)
  const other = await signUp(service.call)
  expect((await other.browser.call('GET', owner.path('/tools/shop'))).status).toBe(404)
  const program = { kind: 'mcp', transport: { type: 'stdio', server: 'everything' } }
  const refused = await owner.browser.call<Problem>('POST', owner.path('/tool-imports'), {
    json: { source: program },
  })
  expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([422, 'operator_only'])
  await service.close()
})

it('an owner is told by an import what only the operator may apply', async () => {
  const service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' }, worker: null })
  const owner = await signUp(service.call)
  const url = 'https://shop.example'
  const auth = { type: 'bearer', token: { env: 'ACTUATOR_SHOP_TOKEN' } }
  const settings = { base_url: url, auth, operations: { list: { method: 'GET', path: '/orders' } } }
  const registered = { actuator: { name: 'shop', kind: 'http', settings }, operations: [] }
  const path = `/v1/tenants/${owner.tenant_id}/tools/shop`
  expect((await service.call('PUT', path, { admin: service.admin, json: registered })).status).toBe(200)
  const paths = { '/all': { get: { operationId: 'all', responses: { 200: { description: 'All.' } } } } }
  const text = JSON.stringify({ openapi: '3.1.0', info: { title: 'shop', version: '1' }, paths })
  const json = { source: { kind: 'openapi', text }, system: 'shop', base_url: url }
  const { body } = await owner.browser.call<ToolProposal>('POST', owner.path('/tool-imports'), { json })
  expect(body.warnings).toContainEqual(
    expect.objectContaining({ code: 'operator_only', path: 'actuator.settings.operations.all' }),
  )
  await service.close()
})
