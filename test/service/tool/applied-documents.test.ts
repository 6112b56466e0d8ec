import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ToolProposal } from '../../../shared/contract/configuration/tool-import.ts'
import { type PublishedDocument, readPublished } from '../../support/openapi/published-documents.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ env: { SERVICE_BODY_LIMIT: '64m' } })
})
afterAll(() => service.close())

/** As the command does it: what is proposed is applied as it is. */
it.each<PublishedDocument>(['figma.yaml', 'blockfrost.yaml', 'stapi.json', 'readme.json'])(
  'what is proposed of %s is applied as it is',
  async name => {
    const tenant = await service.tenant({ actuators: [] })
    const path = (rest: string) => `/v1/tenants/${tenant.id}${rest}`
    const json = { source: { kind: 'openapi', text: readPublished(name) } }
    const admin = service.admin
    const { body: proposal } = await service.call<ToolProposal>('POST', path('/tool-imports'), {
      admin,
      json,
    })
    const { system, actuator, operations, version, refused } = proposal
    expect(operations.length, JSON.stringify(proposal).slice(0, 400)).toBeGreaterThan(refused.length)
    const applied = await service.call('PUT', path(`/tools/${system}`), {
      admin,
      json: {
        actuator,
        operations: operations.flatMap(({ entry }) => (entry === null ? [] : [entry])),
        allowed: operations.filter(({ allowed }) => allowed).map(({ operation }) => operation),
        expected_version: version,
      },
    })
    expect(applied.status, applied.text.slice(0, 400)).toBe(200)
  },
  60_000,
)
