import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJsonSchemas } from '../../shared/contract/json-schema.ts'
import { openApiYaml } from '../../shared/contract/openapi.ts'
import { resourceNames } from '../../shared/contract/resources.ts'
import { version } from '../../shared/runtime/version.ts'
import { startService, type TestService } from '../support/service.ts'

const base_url = 'https://gate.example.org/gate'

let service: TestService
let elsewhere: TestService

beforeAll(async () => {
  service = await startService({ worker: null })
  elsewhere = await startService({ worker: null, env: { SERVICE_BASE_URL: base_url } })
})

afterAll(async () => {
  await service.close()
  await elsewhere.close()
})

describe('the documents that are served', () => {
  it('/openapi.yaml is the document of this version, as YAML', async () => {
    const { status, headers, text } = await service.call('GET', '/openapi.yaml')
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/yaml' })
    expect(text).toBe(openApiYaml({ version, base_url: '' }))
  })

  it.each(resourceNames)('/schemas/%s.schema.json is its schema', async name => {
    const { status, headers, body } = await service.call('GET', `/schemas/${name}.schema.json`)
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 200,
      type: 'application/schema+json',
    })
    expect(body).toEqual(createJsonSchemas('')[name])
  })

  it.each(['nothing', 'constructor', '__proto__', 'Proposal', 'proposal.schema.json', '..%2Fproposal'])(
    'there is no schema %s',
    async name => {
      const { status, body } = await service.call('GET', `/schemas/${name}.schema.json`)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' })
    },
  )

  it('they name the address that is configured', async () => {
    const { text } = await elsewhere.call('GET', '/openapi.yaml')
    expect(text).toBe(openApiYaml({ version, base_url }))
    const { body } = await elsewhere.call('GET', '/schemas/policy.schema.json')
    expect(body.$id).toBe(`${base_url}/schemas/policy.schema.json`)
  })
})
