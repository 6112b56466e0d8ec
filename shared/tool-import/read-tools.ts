import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import { createPatternReader, type PatternReader } from '../json-schema/linear-pattern.ts'
import { meaningOfTool, type ToolHints } from './classify.ts'
import { type Closing, closeSchema } from './close-schema.ts'
import type { ImportedOperation, RefusedOperation } from './http-operation.ts'
import { problemOfSchema } from './problem-of-schema.ts'
import type { ImportedTool } from './read-openapi.ts'
import { Open } from './why-open.ts'
import { distinct, identifierOf, plainText, systemOf } from './wording.ts'

export interface ListedTool {
  name: string
  hash: string
  definition: JsonObject
}

export function readTools(
  listed: readonly ListedTool[],
  server: { name: string; system?: string | undefined; only?: readonly string[] | undefined },
): ImportedTool {
  const operations = distinct(listed.map(({ name }) => identifierOf(name) || 'tool'))
  const wanted = server.only === undefined ? null : new Set(server.only)
  const patterns = createPatternReader()
  const read = listed.flatMap((tool, at) => {
    const operation = operations[at] as string
    return (wanted?.has(operation) ?? true) ? [importTool(operation, tool, patterns)] : []
  })
  return {
    system: server.system ?? systemOf(server.name),
    title: plainText(server.name, 200),
    operations: read.filter((one): one is ImportedOperation => 'parameter_schema' in one),
    refused: read.filter((one): one is RefusedOperation => !('parameter_schema' in one)),
  }
}

const depthMax = 12
const schemasMax = 3_000

function importTool(
  operation: string,
  { name, hash, definition }: ListedTool,
  patterns: PatternReader,
): ImportedOperation | RefusedOperation {
  const refused = ({ code, message }: Open) => ({ operation, source: name, code, message })
  if (name.length > limits.identifier_length_max) return refused(new Open('unwritable_name', ''))
  const { inputSchema, description, annotations } = definition
  const schema = isPlainObject(inputSchema) ? inputSchema : {}
  const leftOut: Open[] = []
  const budget = { schemas: schemasMax }
  const parameters = parametersOf(schema, { document: schema, patterns, depthMax, leftOut, budget })
  if (parameters instanceof Open) return refused(parameters)
  const about = typeof description === 'string' ? plainText(description, 1_000) : ''
  const parameter_schema = { ...parameters, ...(about === '' ? {} : { description: about }) }
  const problem = problemOfSchema(parameter_schema)
  if (problem) return refused(problem)
  const hints: ToolHints = isPlainObject(annotations) ? annotations : {}
  return {
    operation,
    source: name,
    title: titleOf(definition, operation),
    parameter_schema,
    meaning: meaningOfTool(name, hints),
    tool_schema_hash: hash,
    tool: { tool: name },
    key_header: null,
    credentials: [],
    left_out: leftOut.map(({ path, code, message }) => ({ path, code, message })),
  }
}

/** Treats a schema without members as an operation without parameters. */
function parametersOf(schema: JsonObject, closing: Closing): JsonObject | Open {
  const members = isPlainObject(schema.properties) ? Object.keys(schema.properties) : []
  const composes = ['$ref', 'allOf', 'anyOf', 'oneOf'].some(keyword => schema[keyword] !== undefined)
  if (members.length === 0 && !composes)
    return { type: 'object', additionalProperties: false, properties: {} }
  return closeSchema(schema, { path: '', depth: 0, trail: [] }, closing)
}

function titleOf({ title, annotations, description }: JsonObject, operation: string): string {
  const annotated = isPlainObject(annotations) ? annotations.title : undefined
  const sentence = typeof description === 'string' ? description.split(/(?<=[.!?])\s/)[0] : undefined
  const texts: (JsonValue | undefined)[] = [title, annotated, sentence]
  const text = texts.find(one => typeof one === 'string' && plainText(one, 200) !== '')
  return text === undefined ? operation : plainText(String(text), 200)
}
