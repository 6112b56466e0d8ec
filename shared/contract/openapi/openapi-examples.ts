import type { createDocument } from 'zod-openapi'
import { endpointExamples } from '../examples/examples.ts'
import { type ExampleComponents, type ExampleSchema, exampleOf } from './example-of.ts'

export type OpenApiDocument = ReturnType<typeof createDocument>

export function withExamples(document: OpenApiDocument): OpenApiDocument {
  const components = (document.components?.schemas ?? {}) as ExampleComponents
  for (const operation of operationsOf(document)) {
    const { body = {}, answers = {} } = endpointExamples[operation.operationId] ?? {}
    const { requestBody, responses } = operation
    if (requestBody) {
      requestBody.required = isRequired(requestBody.content['application/json']?.schema ?? {}, components)
      addExamples(requestBody, body, components)
    }
    for (const [status, response] of Object.entries(responses)) {
      addExamples(response, answers[Number(status)] ?? {}, components)
    }
  }
  return document
}

interface Operation {
  operationId: string
  requestBody?: WithContent & { content: Record<string, Media>; required?: boolean }
  responses: Record<string, WithContent>
}

interface WithContent {
  content?: Record<string, Media>
}

interface Media {
  schema: ExampleSchema
  examples?: Record<string, { value: unknown }>
}

function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.values(document.paths ?? {}).flatMap(item => Object.values(item) as Operation[])
}

function addExamples(
  { content = {} }: WithContent,
  named: Readonly<Record<string, unknown>>,
  components: ExampleComponents,
): void {
  for (const media of Object.values(content)) {
    const given = Object.keys(named).length > 0 ? named : { example: exampleOf(media.schema, components) }
    media.examples = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]))
  }
}

/**
 * Returns true if a request must have a body. An empty body is read as `{}`, so it may be missing if `{}` is
 * valid.
 */
function isRequired(schema: ExampleSchema, components: ExampleComponents): boolean {
  if (schema.$ref) return isRequired(components[schema.$ref.split('/').at(-1) ?? ''] ?? {}, components)
  const branches = schema.anyOf ?? schema.oneOf
  if ((schema.required ?? []).length > 0) return true
  return branches?.every(branch => isRequired(branch, components)) ?? false
}
