import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Audience, audiences, type Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { createJsonSchemas } from '../../shared/contract/openapi/json-schema.ts'
import { openApiDocument, openApiYaml } from '../../shared/contract/openapi/openapi.ts'
import { resourceNames } from '../../shared/contract/resources.ts'
import { messageTypes, webhookMessageSchema } from '../../shared/contract/webhook.ts'
import { version } from '../../shared/runtime/version.ts'
import { startService, type TestService } from '../support/service/service.ts'

interface Cut {
  paths: Record<string, Record<string, { operationId: string }>>
  components: Record<string, Record<string, unknown>>
}

interface RequestBody {
  content: { 'application/json': { examples: { message: { value: unknown } } } }
}

/** Who may call a row, said once more and apart from the product. */
const mayCall: Readonly<Record<Audience, (row: Endpoint) => boolean>> = {
  agent: row => isForAll(row) || ['agent', 'agent_or_approver'].includes(row.access),
  approver: row => isForAll(row) || ['approver', 'agent_or_approver'].includes(row.access),
  owner: ({ access, console }) => ['none', 'session', 'member'].includes(access) && !console,
  operator: ({ access, hosted }) =>
    (access === 'none' && !hosted) || access === 'admin' || access === 'operator',
}

function isForAll({ access, hosted, console }: Endpoint): boolean {
  return access === 'none' && !hosted && !console
}

const base_url = 'https://gate.example.org/gate'
const schemas = createJsonSchemas('')

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

  it('/openapi.json says what /openapi.yaml says', async () => {
    const { status, headers, body } = await service.call('GET', '/openapi.json')
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' })
    const yaml = await service.call('GET', '/openapi.yaml')
    expect(body).toEqual(parse(yaml.text))
  })

  it.each(['/openapi.json', '/openapi.yaml'])(
    '%s answers 304 to its own ETag, in each coding',
    async path => {
      for (const coding of ['br', 'gzip', 'identity']) {
        const first = await fetch(service.url + path, { headers: { 'accept-encoding': coding } })
        const etag = first.headers.get('etag') ?? ''
        expect(first.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding)
        expect(first.headers.get('vary')).toContain('accept-encoding')
        expect(await first.text()).toContain('3.1.1')
        const again = await fetch(service.url + path, {
          headers: { 'accept-encoding': coding, 'if-none-match': etag },
        })
        expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: '' })
        const other = await fetch(service.url + path, { headers: { 'if-none-match': '"other"' } })
        expect(other.status).toBe(200)
        await other.body?.cancel()
      }
    },
  )

  it.each(audiences)('?audience=%s cuts the document to the rows of that audience', async audience => {
    const whole = (await service.call<Cut>('GET', '/openapi.json')).body
    const { body } = await service.call<Cut>('GET', `/openapi.json?audience=${audience}`)
    const wanted = Object.entries<Endpoint>(endpoints).filter(([, row]) => mayCall[audience](row))
    const operations = Object.values(body.paths).flatMap(item => Object.values(item))
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      wanted.map(([name]) => name).sort(),
    )
    const text = JSON.stringify(body)
    for (const [kind, members] of Object.entries(body.components)) {
      const used = (name: string) =>
        kind === 'securitySchemes'
          ? text.includes(`"${name}":[]`)
          : text.includes(`"#/components/${kind}/${name}"`)
      expect(Object.keys(members).filter(name => !used(name) && name !== 'HeadersTooLarge')).toEqual([])
      expect(Object.keys(members).length).toBeLessThan(Object.keys(whole.components[kind] ?? {}).length + 1)
    }
    expect(text.length).toBeLessThan(JSON.stringify(whole).length * 0.7)
  })

  it('an audience that is none is refused', async () => {
    const { status, body } = await service.call('GET', '/openapi.yaml?audience=nobody')
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
  })

  it('the webhooks section has every kind of message, and its example is one', () => {
    const { webhooks = {} } = openApiDocument({ version, base_url: '' })
    expect(Object.keys(webhooks)).toEqual([...messageTypes])
    for (const [type, item] of Object.entries(webhooks)) {
      const { requestBody } = (item as unknown as { post: { requestBody: RequestBody } }).post
      const { value } = requestBody.content['application/json'].examples.message
      expect(webhookMessageSchema.parse(value).type).toBe(type)
    }
  })

  it.each(resourceNames)('/schemas/%s.schema.json is its schema', async name => {
    const { status, headers, body } = await service.call('GET', `/schemas/${name}.schema.json`)
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 200,
      type: 'application/schema+json',
    })
    expect(body).toEqual(schemas[name])
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
