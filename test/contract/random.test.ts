import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiYaml } from '../../shared/contract/openapi/openapi.ts'
import { refusedTexts } from '../cases/strict-json.ts'
import { arbitraryOf } from './arbitrary-of.ts'
import {
  type JsonSchema,
  type Operation,
  type RawParameter,
  readContractDocument,
} from './contract-document.ts'
import { mutated } from './mutated.ts'
import { type Asked, validRequest } from './valid-request.ts'
import { startWorld, type World } from './world.ts'

const document = readContractDocument(openApiYaml({ version: '0.1.0', base_url: '' }))
const runs = { numRuns: 100, seed: 2026 }

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

describe('no request, however made, gets an answer that is not documented, or a 5xx', () => {
  it.each(document.operations)('$operationId', async operation => {
    const statuses = new Map<number, number>()
    const ask = async (part: Partial<Asked>): Promise<void> => {
      const { status } = await world.ask(operation, merged(validRequest(operation, world.known), part))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(status).toBeLessThan(500)
    }
    await fc.assert(fc.asyncProperty(requestParts(operation), ask), runs)
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(runs.numRuns)
    const reached = [...statuses.keys()]
    if (operation.requestBody) expect(reached).toContain(400)
    const canSucceed =
      !operation.path.includes('{action_id}') && !needSomethingBegun.has(operation.operationId)
    if (canSucceed) expect(reached.some(status => status < 400)).toBe(true)
  })
})

/**
 * Need the embedded mode, what Slack signed, a sign-in that was begun, an identity or a Slack user that was linked, a browser that was
 * subscribed, an invitation, a mail server and its link, another member, or people, groups,
 * routes, agent keys and grants that are there; others an action in a certain state.
 */
const needSomethingBegun = new Set([
  'allow_local_host',
  'complete_sign_in',
  'complete_operator_sign_in',
  'end_at_issuer',
  'end_operators_at_issuer',
  'decide_in_slack',
  'command_in_slack',
  'unlink_identity',
  'unlink_slack',
  'read_invitation',
  'accept_invitation',
  'request_password_reset',
  'read_password_reset',
  'complete_password_reset',
  'remove_member',
  'unsubscribe_push',
  'unsubscribe_owned_push',
  ...['put', 'delete'].flatMap(verb => [`${verb}_route`, `${verb}_owned_route`]),
  ...['put', 'delete'].flatMap(verb => [`${verb}_review_group`, `${verb}_owned_review_group`]),
  ...['make', 'revoke'].flatMap(verb => [`${verb}_grant`, `${verb}_owned_grant`]),
  ...['put_absence', 'put_own_absence', 'put_owned_absence', 'decline_absence', 'decline_owned_absence'],
])

function merged(valid: Asked, part: Partial<Asked>): Asked {
  return {
    params: { ...valid.params, ...part.params },
    query: { ...valid.query, ...part.query },
    headers: { ...valid.headers, ...part.headers },
    body: part.body === undefined ? valid.body : part.body,
  }
}

/** What differs from a valid request: often nothing in one respect, so that the others are looked at. */
function requestParts({ parameters = [], requestBody }: Operation): fc.Arbitrary<Partial<Asked>> {
  const media = requestBody?.content['application/json']
  return fc.record(
    {
      params: parametersIn(parameters, 'path'),
      query: fc.oneof(
        { weight: 4, arbitrary: parametersIn(parameters, 'query') },
        { weight: 1, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 2 }) },
      ),
      headers: fc.oneof(
        { weight: 6, arbitrary: parametersIn(parameters, 'header') },
        { weight: 1, arbitrary: wrongCredentials },
        { weight: 1, arbitrary: fc.record({ 'content-type': headerText }) },
      ),
      ...(media ? { body: bodies(media.schema, Object.values(media.examples ?? {})[0]?.value) } : {}),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Partial<Asked>>
}

const resolve = (reference: string): JsonSchema => document.resolve({ $ref: reference } as JsonSchema)

function parametersIn(
  parameters: readonly RawParameter[],
  place: string,
): fc.Arbitrary<Record<string, string>> {
  const texts = parameters
    .filter(parameter => parameter.in === place)
    .map(({ name, schema }) => [
      name,
      place === 'header'
        ? fc.oneof(
            headerText,
            fc.constantFrom('*', '"1"', 'W/"1"', 'wait=0', 'wait=1', 'wait=-1', 'respond-async'),
          )
        : fc.oneof(
            { weight: 3, arbitrary: arbitraryOf(schema, resolve).map(String) },
            { weight: 1, arbitrary: hostileText },
          ),
    ])
  return fc.record(Object.fromEntries(texts), { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>
}

function bodies(schema: JsonSchema, example: unknown): fc.Arbitrary<string> {
  const values = arbitraryOf(schema, resolve)
  const near = mutated(fc.constant(example))
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.oneof(values, mutated(values), near).map(value => JSON.stringify(value) ?? ''),
    },
    { weight: 1, arbitrary: fc.constantFrom(...refusedTexts.map(({ text }) => String(text))) },
    {
      weight: 1,
      arbitrary: fc.nat(2000).map(length => JSON.stringify(example).slice(0, length)),
    },
  )
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter(text => !/\p{Surrogate}/u.test(text)),
  fc.constantFrom(
    '..',
    '.',
    '%',
    '\0',
    "'; drop table actions; --",
    '😀',
    '__proto__',
    'constructor',
    '-1',
    '1e3',
    'x'.repeat(3000),
  ),
)

/** What may stand in a header at all. */
const headerText = fc
  .stringMatching(/^[\x21-\x7e\xa1-\xff][\x20-\x7e\xa1-\xff]{0,30}$/)
  .map(text => text.trimEnd())

const wrongCredentials = fc.oneof(
  fc.record(
    { authorization: headerText, 'x-service-api-key': headerText, 'x-service-admin-key': headerText },
    { requiredKeys: [] },
  ),
  fc.constantFrom(
    { authorization: 'Bearer agk_aaaaaaaaaaaaaaaa.wrong' },
    { authorization: '', 'x-service-admin-key': '' },
    { 'x-service-admin-key': 'wrong' },
  ),
)
