import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import type { JsonObject } from '../../../shared/contract/base/json.ts'

/** Documents of public APIs as their publishers wrote them (README.md). */
export const publishedDocuments = [
  'github.json',
  'figma.yaml',
  'blockfrost.yaml',
  'stapi.json',
  'readme.json',
] as const
export type PublishedDocument = (typeof publishedDocuments)[number]

export function readPublished(name: PublishedDocument): string {
  return brotliDecompressSync(readFileSync(new URL(`./${name}.br`, import.meta.url))).toString()
}

/** A document of our own with so many operations, each with a body of its own and a schema that all share. */
export function largeDocument(operations: number): JsonObject {
  const paths = Array.from({ length: operations }, (_, at) => {
    const body = {
      type: 'object',
      required: ['amount'],
      properties: {
        amount: { type: 'number', minimum: 0, exclusiveMinimum: true },
        owner: { $ref: '#/components/schemas/Person' },
        [`only_${at}`]: { type: 'string', maxLength: at + 1 },
      },
    }
    const requestBody = { required: true, content: { 'application/json': { schema: body } } }
    return [
      `/things/${at}/{id}`,
      { post: { operationId: `make/${at}`, summary: `Make ${at}`, requestBody, parameters: [id] } },
    ]
  })
  return {
    openapi: '3.0.3',
    info: { title: 'Large', version: '1' },
    servers: [{ url: 'https://large.example/v1' }],
    paths: Object.fromEntries(paths),
    components: { schemas: { Person: person } },
  }
}

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

/** Refers to itself where it may be left out. */
const person = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, friend: { $ref: '#/components/schemas/Person' } },
}
