import { componentExamples } from '../examples/examples.ts'

export interface ExampleSchema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  default?: unknown
  minimum?: number
  pattern?: string
  properties?: Record<string, ExampleSchema>
  required?: string[]
  items?: ExampleSchema
  anyOf?: ExampleSchema[]
  oneOf?: ExampleSchema[]
}

export type ExampleComponents = Readonly<Record<string, ExampleSchema>>

/**
 * Returns an example of a schema: its own, that of its component, or one composed of its parts. Throws for a part
 * that has a pattern but no example, because only a person can write that example.
 */
export function exampleOf(schema: ExampleSchema, components: ExampleComponents): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.$ref) return componentExample(schema.$ref.split('/').at(-1) ?? '', components)
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  const [branch] = schema.oneOf ?? schema.anyOf ?? []
  if (branch) return exampleOf(branch, components)
  if (schema.pattern) throw new Error(`give this an example: ${JSON.stringify(schema)}`)
  return exampleOfType(schema, components)
}

function componentExample(name: string, components: ExampleComponents): unknown {
  return componentExamples[name.replace(/Output$/, '')] ?? exampleOf(components[name] ?? {}, components)
}

function exampleOfType(schema: ExampleSchema, components: ExampleComponents): unknown {
  const [type] = [schema.type ?? 'null'].flat()
  switch (type) {
    case 'object':
      return objectExample(schema, components)
    case 'array':
      return schema.items ? [exampleOf(schema.items, components)] : []
    case 'string':
      return 'text'
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1)
    default:
      return null
  }
}

/** Fills only required members, because optional members apply only in particular cases. */
function objectExample(schema: ExampleSchema, components: ExampleComponents): Record<string, unknown> {
  const members = (schema.required ?? []).map(name => [
    name,
    exampleOf(schema.properties?.[name] ?? {}, components),
  ])
  return Object.fromEntries(members)
}
