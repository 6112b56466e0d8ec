import { z } from 'zod'
import { createSchema } from 'zod-openapi'
import type { JsonObject, JsonValue } from '../base/json.ts'
import { type ResourceName, resourceNames, resources } from '../resources.ts'
import { exampleOf } from './example-of.ts'

export type JsonSchemas = Readonly<Record<ResourceName, JsonObject>>

/**
 * Creates a JSON Schema 2020-12 for every resource (specification.md#endpoints, `/schemas/{name}.schema.json`).
 * `$id` is the schema's address below `baseUrl`, and `$defs` holds the referenced schemas. Formats are replaced by
 * patterns, because strict validators refuse unknown formats.
 */
export function createJsonSchemas(baseUrl: string): JsonSchemas {
  const { components } = createSchema(z.strictObject(resources), {
    io: 'input',
    openapiVersion: '3.1.1',
    opts: {
      allowEmptySchema: { custom: true },
      override({ jsonSchema }) {
        delete jsonSchema.format
      },
    },
  })
  const schemas = resourceNames.map(name => {
    const id = String(resources[name].meta()?.id)
    return [name, resourceSchema(id, `${baseUrl}/schemas/${name}.schema.json`, components as Components)]
  })
  return Object.fromEntries(schemas)
}

type Components = Readonly<Record<string, JsonObject>>

const reference = /"#\/components\/schemas\/([^"]+)"/g

function resourceSchema(id: string, uri: string, components: Components): JsonObject {
  const { title, description, ...root } = components[id] ?? {}
  const others = reachable(id, components).filter(name => name !== id)
  const whole: Record<string, JsonValue | undefined> = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: uri,
    title,
    description,
    ...root,
    examples: [exampleOf({ $ref: id }, components) as JsonValue],
  }
  if (others.length > 0) whole.$defs = Object.fromEntries(others.map(name => [name, components[name] ?? {}]))
  const text = JSON.stringify(whole)
  return JSON.parse(text.replaceAll(reference, (_, name) => (name === id ? '"#"' : `"#/$defs/${name}"`)))
}

function reachable(id: string, components: Components): string[] {
  const found = new Set([id])
  for (const name of found) {
    for (const [, other] of JSON.stringify(components[name] ?? {}).matchAll(reference)) found.add(other ?? '')
  }
  return [...found].sort()
}
