import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'

/** As much of an OpenAPI document as the tests look at. */
export interface RawDocument {
  openapi: string
  paths: Record<string, Record<string, RawOperation>>
  components: Record<string, Record<string, unknown>>
  servers: { url: string }[]
}

export interface RawOperation {
  operationId: string
  summary: string
  tags: string[]
  description: string
  security: Record<string, string[]>[]
  'x-key-scopes'?: string[]
  parameters?: RawParameter[]
  requestBody?: { required: boolean; content: Record<string, RawMedia> }
  responses: Record<string, RawResponse>
}

export interface RawParameter {
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  schema: JsonSchema
}

export interface RawMedia {
  schema: JsonSchema
  examples?: Record<string, { value: unknown }>
}

export interface RawResponse {
  description: string
  headers?: Record<string, { required?: boolean }>
  content?: Record<string, RawMedia>
}

export interface JsonSchema {
  $ref?: string
  title?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
}

export interface Operation extends RawOperation {
  method: string
  path: string
  /** JSON pointer to it, for the schemas below it. */
  pointer: string
}

export interface Response {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** The OpenAPI document as a client would use it: it says what is wrong with a body or an answer. */
export interface ContractDocument {
  raw: RawDocument
  operations: readonly Operation[]
  operation(id: string): Operation
  resolve<Part extends object>(part: Part): Part
  /** What a value has against the schema at a JSON pointer; empty when nothing. */
  problems(pointer: string, value: unknown): string[]
  /** What an answer of an operation has against the document; empty when nothing. */
  answerProblems(operation: Operation, response: Response): string[]
}

export function readContractDocument(yaml: string): ContractDocument {
  const raw = parse(yaml) as RawDocument
  const validatorAt = createValidators(raw)
  const operations = operationsOf(raw)
  const resolve = <Part extends object>(part: Part): Part =>
    '$ref' in part ? (at(raw, String(part.$ref)) as Part) : part
  const problems = (pointer: string, value: unknown): string[] => {
    const validate = validatorAt(pointer)
    return validate(value) ? [] : (validate.errors ?? []).map(errorText)
  }
  return {
    raw,
    operations,
    resolve,
    problems,
    operation(id) {
      const found = operations.find(({ operationId }) => operationId === id)
      if (!found) throw new Error(`there is no operation ${id}`)
      return found
    },
    answerProblems(operation, response) {
      const documented = operation.responses[response.status]
      if (!documented) return [`status ${response.status} is not documented: ${response.text.slice(0, 500)}`]
      const { headers = {}, content = {} } = resolve(documented)
      const pointer =
        '$ref' in documented ? String(documented.$ref) : `${operation.pointer}/responses/${response.status}`
      return [
        ...missingHeaders(headers, resolve, response),
        ...bodyProblems(pointer, content, { response, problems }),
      ]
    },
  }
}

/** Strict validators of the schemas at JSON pointers; what many places refer to is compiled once. */
function createValidators(raw: RawDocument): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, formats: { 'date-time': isInstant } })
  const relocated = (part: unknown) =>
    JSON.stringify(part).replaceAll('"#/components/schemas/', '"components#/$defs/')
  ajv.addSchema({ $id: 'components', $defs: JSON.parse(relocated(raw.components.schemas)) })
  const compiled = new Map<string, ValidateFunction>()
  return pointer => {
    const schema = relocated(at(raw, pointer))
    const validate = compiled.get(schema) ?? ajv.compile(JSON.parse(schema))
    compiled.set(schema, validate)
    return validate
  }
}

function operationsOf({ paths }: RawDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      pointer: `#/paths/${escaped(path)}/${method}`,
    })),
  )
}

function missingHeaders(
  documented: Record<string, { required?: boolean }>,
  resolve: ContractDocument['resolve'],
  { headers }: Response,
): string[] {
  return Object.entries(documented)
    .filter(([name, header]) => resolve(header).required && headers[name.toLowerCase()] === undefined)
    .map(([name]) => `the header ${name} is missing`)
}

interface Answered {
  response: Response
  problems: ContractDocument['problems']
}

function bodyProblems(
  pointer: string,
  content: Record<string, RawMedia>,
  { response, problems }: Answered,
): string[] {
  const { text, headers } = response
  const types = Object.keys(content)
  if (types.length === 0) return text === '' ? [] : [`a body where none is documented: ${text.slice(0, 500)}`]
  const type = String(headers['content-type']).split(';')[0] ?? ''
  if (!types.includes(type)) return [`the type is ${type}, documented are ${types.join(', ')}`]
  const value = type.endsWith('json') ? JSON.parse(text) : text
  return problems(`${pointer}/content/${escaped(type)}/schema`, value)
}

function at(document: RawDocument, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce((part, step) => (part as Record<string, unknown>)[unescaped(step)], document as unknown)
}

/** A step of a JSON pointer as it stands in a URI fragment. */
function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function unescaped(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function errorText({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || 'the whole'} ${message} ${JSON.stringify(params)}`
}

function isInstant(text: string): boolean {
  return !Number.isNaN(Date.parse(text))
}
