import { describe, expect, it } from 'vitest'
import { catalogSchema } from '../../../shared/contract/configuration/catalog.ts'
import { httpSettingsSchema } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { readCatalog } from '../../../shared/gate/read-documents.ts'
import { readText } from '../../../shared/tool-import/import-source.ts'
import { type ImportedApi, readOpenApi } from '../../../shared/tool-import/read-openapi.ts'
import {
  largeDocument,
  type PublishedDocument,
  readPublished,
} from '../../support/openapi/published-documents.ts'

function read(name: PublishedDocument): ImportedApi {
  const text = readText(readPublished(name))
  if (!('value' in text)) throw new Error(text.message)
  const api = readOpenApi(text.value)
  if (!('operations' in api)) throw new Error(api.message)
  return api
}

/** How many of its operations are proposed, how many are not, and where they are. */
const documents: [PublishedDocument, proposed: number, refused: number, base_url: string][] = [
  ['github.json', 1215, 8, 'https://api.github.com'],
  ['figma.yaml', 53, 1, 'https://api.figma.com'],
  ['blockfrost.yaml', 121, 8, 'https://cardano-mainnet.blockfrost.io/api/v0'],
  ['stapi.json', 120, 0, 'http://stapi.co/api/v1/rest'],
  ['readme.json', 50, 4, 'https://api.readme.com/v2'],
]

describe.each(documents)('the document %s', (name, proposed, refused, base_url) => {
  const api = read(name)

  it('is read as a whole: each operation is proposed or refused with the way out', () => {
    expect(api.base_url).toBe(base_url)
    expect([api.operations.length, api.refused.length]).toEqual([proposed, refused])
    const ways = api.refused.map(({ message }) => message)
    expect(ways.filter(message => !/: .{10,}$/.test(message))).toEqual([])
    const names = [...api.operations, ...api.refused].map(({ operation }) => operation)
    expect(new Set(names).size).toBe(names.length)
  })

  it('gives settings that the http actuator takes', () => {
    const operations = api.operations.map(({ operation, request }) => [operation, request])
    const { auth } = api
    const settings = { base_url, ...(auth ? { auth } : {}) }
    const parsed = httpSettingsSchema.safeParse({ ...settings, operations: Object.fromEntries(operations) })
    expect(parsed.error?.issues.slice(0, 3) ?? []).toEqual([])
  })

  it('gives entries that a catalog takes', () => {
    const entries = api.operations.map(({ operation, title, parameter_schema, meaning }) => ({
      ...{ system: api.system, operation, title, parameter_schema, ...meaning },
      actuator: { name: api.system, kind: 'http' },
      idempotency: 'none' as const,
      tool_schema_hash: null,
    }))
    expect(catalogSchema.safeParse({ operations: entries }).error?.issues.slice(0, 3) ?? []).toEqual([])
    const catalog = readCatalog({ operations: entries })
    expect(catalog.ok ? [] : catalog.issues.slice(0, 3)).toEqual([])
  }, 60_000)
})

it('GitHub keeps what its authors require of the creation of an issue', () => {
  const github = read('github.json')
  const created = github.operations.find(({ operation }) => operation === 'issues/create')
  expect(created).toMatchObject({
    source: 'POST /repos/{owner}/{repo}/issues',
    meaning: { minimum_risk: 'medium', reversibility: 'compensatable' },
    request: { method: 'POST', path: '/repos/{parameters.owner}/{parameters.repo}/issues' },
  })
  expect(created?.parameter_schema.required).toEqual(['owner', 'repo', 'title'])
  const deleted = github.operations.find(({ operation }) => operation === 'repos/delete')
  expect(deleted?.meaning).toMatchObject({ minimum_risk: 'high', reversibility: 'irreversible' })
})

it('a thousand operations are read within seconds', () => {
  const began = performance.now()
  const api = readOpenApi(largeDocument(1_000)) as ImportedApi
  expect(performance.now() - began).toBeLessThan(10_000)
  expect([api.operations.length, api.refused.length]).toEqual([1_000, 0])
  expect(api.operations[999]?.parameter_schema).toMatchObject({
    required: ['id', 'amount'],
    properties: { amount: { exclusiveMinimum: 0 }, only_999: { maxLength: 1_000 } },
  })
})
