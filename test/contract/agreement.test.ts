import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../shared/contract/base/errors.ts'
import { openApiYaml } from '../../shared/contract/openapi/openapi.ts'
import { arbitraryOf } from './arbitrary-of.ts'
import { beyondTheSchema } from './beyond-the-schema.ts'
import { type JsonSchema, type Operation, readContractDocument } from './contract-document.ts'
import { everyMutation, mutated } from './mutated.ts'
import { validRequest } from './valid-request.ts'
import { startWorld, type World } from './world.ts'

const document = readContractDocument(openApiYaml({ version: '0.1.0', base_url: '' }))
const withBody = document.operations.filter(({ requestBody }) => requestBody)
const runs = { numRuns: 100, seed: 2026 }

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

describe('a body is refused where the document refuses it, and only there', () => {
  it.each(withBody)('$operationId, random', async operation => {
    const seen = { accepted: 0, refused: 0 }
    const property = fc.asyncProperty(bodiesOf(operation), async body => {
      seen[await agreedUpon(operation, body)] += 1
    })
    await fc.assert(property, runs)
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(runs.numRuns / 10)
  })

  it.each(withBody)('$operationId, every change of its examples', async operation => {
    const seen = { accepted: 0, refused: 0 }
    for (const body of examplesOf(operation).flatMap(everyMutation)) {
      seen[await agreedUpon(operation, body ?? null)] += 1
    }
    expect(seen.refused).toBeGreaterThan(5)
  })
})

describe('what the document cannot say is refused with its own code', () => {
  it.each(Object.entries(beyondTheSchema))('%s', async (code, { operationId, body }) => {
    const operation = document.operation(operationId)
    expect(document.problems(schemaPointer(operation), body)).toEqual([])
    const asked = { ...validRequest(operation, world.known), body: JSON.stringify(body) }
    const { status, text } = await world.ask(operation, asked)
    const { errors = [] } = JSON.parse(text) as Problem
    expect({ status, codes: [...new Set(errors.map(error => error.code))] }).toEqual({
      status: 400,
      codes: [code],
    })
  })
})

/** What the document says of a body, once the service has said the same. */
async function agreedUpon(operation: Operation, body: unknown): Promise<'accepted' | 'refused'> {
  const meetsSchema = document.problems(schemaPointer(operation), body).length === 0
  const asked = { ...validRequest(operation, world.known), body: JSON.stringify(body) }
  const { status, text } = await world.ask(operation, asked)
  if (meetsSchema && status === 400)
    expect({ body, reasons: reasonsBeyond(text) }).toEqual({ body, reasons: [] })
  else expect({ body, refused: status === 400 }).toEqual({ body, refused: !meetsSchema })
  return meetsSchema ? 'accepted' : 'refused'
}

describe('a value of a query is refused where the document refuses it, and only there', () => {
  const parameters = document.operations.flatMap(operation =>
    (operation.parameters ?? [])
      .filter(parameter => parameter.in === 'query' && parameter.name !== 'cursor')
      .map(parameter => ({ id: operation.operationId, operation, parameter })),
  )

  it.each(parameters)('$id $parameter.name', async ({ operation, parameter }) => {
    const {
      minimum = 0,
      maximum = 0,
      enum: listed,
      examples,
      pattern,
      minLength = 0,
      maxLength = Number.POSITIVE_INFINITY,
    } = document.resolve(parameter.schema) as JsonSchema
    // A text of any characters is bounded by its length alone.
    const isText = Number.isFinite(maxLength) && pattern === undefined && !listed
    const words = parameter.name === 'tenant_id' ? [world.known.params.tenant_id] : (listed ?? examples)
    const good = words ?? (isText ? ['x', 'x'.repeat(maxLength)] : [minimum, minimum + 1, maximum])
    const fits = (value: unknown) => {
      const text = String(value)
      if (isText) return text.length >= minLength && text.length <= maxLength
      return pattern !== undefined && new RegExp(pattern).test(text)
    }
    const others = words ? ['executed,denied'] : [minimum - 1, maximum + 1, 1.5, '1e1', '0x1']
    const bad = ['', 'x', ...(isText ? ['x'.repeat(maxLength + 1)] : others)]
    const statusOf = async (value: unknown) => {
      const asked = validRequest(operation, world.known)
      const query = { ...asked.query, [parameter.name]: String(value) }
      const { status, text } = await world.ask(operation, { ...asked, query })
      return { value, status: status !== 200 && isBeyondTheLog(text) ? 200 : status }
    }
    for (const value of good) expect(await statusOf(value)).toEqual({ value, status: 200 })
    for (const value of bad.filter(each => !fits(each)))
      expect(await statusOf(value)).toEqual({ value, status: 400 })
  })
})

/** The document cannot say how far a log has come. */
function isBeyondTheLog(text: string): boolean {
  const { errors = [] } = JSON.parse(text) as Partial<Problem>
  return errors.some(({ code }) => code === 'beyond_the_log')
}

function bodiesOf(operation: Operation): fc.Arbitrary<unknown> {
  const schema = operation.requestBody?.content['application/json']?.schema ?? {}
  const example = fc.constantFrom(...examplesOf(operation))
  const values = arbitraryOf(schema, reference => document.resolve({ $ref: reference } as JsonSchema))
  return fc.oneof(values, mutated(values), mutated(example)).map(value => value ?? null)
}

function examplesOf({ requestBody }: Operation): unknown[] {
  return Object.values(requestBody?.content['application/json']?.examples ?? {}).map(({ value }) => value)
}

function schemaPointer({ pointer }: Operation): string {
  return `${pointer}/requestBody/content/application~1json/schema`
}

/** The code of the problem, the last one of a list that is cut, and what issuers are to be answered for a bad token. */
const ofAnyRefusal: ReadonlySet<string> = new Set(['validation_failed', 'more_problems', 'logout_refused'])

/** Codes of a refusal that the schema could have told. */
function reasonsBeyond(text: string): string[] {
  const { code, errors = [] } = JSON.parse(text) as Problem
  return [code, ...errors.map(error => error.code)].filter(
    reason => !ofAnyRefusal.has(reason) && !Object.hasOwn(beyondTheSchema, reason),
  )
}
