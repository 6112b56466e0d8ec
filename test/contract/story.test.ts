import { afterAll, beforeAll, expect, it } from 'vitest'
import { excessiveRefund, mediumRefund, smallRefund } from '../../shared/contract/examples/example-policy.ts'
import { openApiYaml } from '../../shared/contract/openapi/openapi.ts'
import { issueAdminKey } from '../../shared/flow/tenant/issue-key.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { type Operation, type RawMedia, readContractDocument } from './contract-document.ts'

const document = readContractDocument(openApiYaml({ version: '0.1.0', base_url: '' }))

let service: TestService
let admin: string

beforeAll(async () => {
  service = await startService()
  admin = await issueAdminKey(service.context, 'operations')
})

afterAll(() => service.close())

/** In the order of the story: each is asked as its first example says, and answers as its example says. */
const chapters = [
  'create_tenant',
  'mint_key',
  'read_policy',
  'integration',
  'check_policy',
  'replay_policy',
  'replace_policy',
  'rollback_policy',
  'list_policy_revisions',
  'create_catalog',
  'read_catalog',
  'revise_catalog',
  'list_catalog_revisions',
  'read_catalog_revision',
  'freeze',
  'unfreeze',
  'pause',
  'resume',
  'replace_actuators',
  'read_actuators',
  'validate_policy',
]

it('the control plane answers as the examples say, but for times, ids and secrets', async () => {
  let agent = ''
  for (const chapter of chapters) {
    const operation = document.operation(chapter)
    const { status, body } = await ask(operation, agent)
    if (chapter === 'create_tenant') {
      agent = (body as { api_key: string }).api_key
      await submitRefunds(agent)
    }
    const shown = firstOf(operation.responses[status]?.content)
    expect({ chapter, status, body: masked(body) }).toEqual({ chapter, status, body: masked(shown) })
  }
})

function ask(operation: Operation, agent: string) {
  const path = operation.path.replace('{tenant_id}', 'web-shop').replace('{revision}', '1')
  const credential = operation.security.some(scheme => 'service_admin_key' in scheme)
    ? { admin }
    : { key: agent }
  const json = firstOf(operation.requestBody?.content)
  return service.call<unknown>(operation.method, path, {
    ...credential,
    ...(json === undefined ? {} : { json }),
  })
}

/** Executed, held, denied, executed and held. */
async function submitRefunds(key: string): Promise<void> {
  const proposals = [
    smallRefund,
    mediumRefund,
    excessiveRefund,
    { ...smallRefund, proposal_id: 'refund-1004' },
    { ...mediumRefund, proposal_id: 'refund-1005' },
  ]
  for (const json of proposals) await service.call('POST', '/v1/actions', { key, json })
}

function firstOf(content: Record<string, RawMedia> = {}): unknown {
  return Object.values(content['application/json']?.examples ?? {})[0]?.value
}

/** What is another each time. */
function masked(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'a time')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'an address')
    .replaceAll(/(a[gpmd]k)_[a-z2-7]{16}(\.[A-Za-z0-9_-]+)?/g, '$1')
    .replaceAll(/act_[0-9a-z]{36}/g, 'an action')
  return JSON.parse(text)
}
