import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { placesOf } from '../../../shared/actuator/stored-secrets.ts'
import { isRegistered, kindOf } from '../../../shared/contract/actuator-kind/kinds.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import {
  type RegisteredActuator,
  registeredActuatorSchema,
} from '../../../shared/contract/configuration/actuator-schema.ts'
import { catalogRules } from '../../../shared/gate/catalog-rules.ts'

const variants = registeredActuatorSchema.options.map(option => ({
  kind: option.shape.kind.value,
  schema: z.toJSONSchema(option.shape.settings, { io: 'input', unrepresentable: 'any' }) as JsonObject,
}))

/** Parts of requests, which do not decide where a request and its secrets go. */
const contents = new Set(['operations', 'lookup', 'tools', 'headers', 'body', 'query'])

/** The paths of members that hold an address, with those of each alternative. */
function addressPaths(schema: JsonObject, path: readonly string[] = []): string[] {
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(
    list => (list ?? []) as JsonObject[],
  )
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>)
  return [
    ...alternatives.flatMap(one => addressPaths(one, path)),
    ...members.flatMap(([name, member]) => {
      if (contents.has(name)) return []
      if (name === 'url' || name.endsWith('_url')) return [[...path, name].join('.')]
      return addressPaths(member, [...path, name])
    }),
  ]
}

function settingsWith(path: string, url: string): JsonObject {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), url) as JsonObject
}

describe.each(variants)('the kind $kind', ({ kind, schema }) => {
  it('declares each address of its settings, so that secrets are bound to it', () => {
    const missing = addressPaths(schema).filter(path => {
      const settings = { transport: {}, ...settingsWith(path, 'https://downstream.example:8443/v1') }
      return !placesOf({ kind, settings }).includes('https://downstream.example:8443')
    })
    expect(missing).toEqual([])
  })
})

it('the addresses of all kinds are those that a person would name', () => {
  const named = variants.flatMap(({ kind, schema }) => addressPaths(schema).map(path => `${kind} ${path}`))
  expect([...new Set(named)].sort()).toEqual(['http auth.token_url', 'http base_url', 'mcp transport.url'])
})

describe('a kind that a newer version registered', () => {
  const actuator = { name: 'crm', kind: 'queue', settings: { host: 'crm' } } as unknown as RegisteredActuator

  it('is no mock, honours no key and binds no secret', () => {
    const kind = kindOf(actuator)
    expect(kind).toMatchObject({ simulated: false, comparedAtCall: false })
    expect([kind.honoursKey(actuator.settings), kind.mayLookUp(actuator.settings)]).toEqual([false, false])
    expect(isRegistered(actuator, 'write')).toBe(true)
    expect(placesOf(actuator)).toEqual([])
  })

  it('fails the commitment of a catalog, and nothing else of the gate', () => {
    const entry = {
      system: 'crm',
      operation: 'write',
      actuator: { name: 'crm', kind: 'queue' },
      parameter_schema: { type: 'object', properties: {}, additionalProperties: false },
      minimum_risk: 'low',
      effects: ['none'],
      tool_schema_hash: `sha256:${'0'.repeat(64)}`,
      idempotency: 'none',
    }
    const catalog = { operations: [entry] } as unknown as Parameters<typeof catalogRules>[0]
    const checks = catalogRules(catalog, true)('crm', 'write').check({}, actuator)
    expect(checks.filter(({ outcome }) => outcome === 'fail').map(({ code }) => code)).toEqual([
      'tool_schema_mismatch',
    ])
  })
})
