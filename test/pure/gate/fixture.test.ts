import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import type { FixtureReport } from '../../../shared/contract/configuration/fixture-schema.ts'
import { checkFixtures, type FixtureProblem, type FixtureText } from '../../../shared/gate/fixture/fixture.ts'
import { readPolicy } from '../../../shared/gate/read-documents.ts'
import { policyTemplates } from '../../../shared/gate/templates.ts'
import { verifyPolicy } from '../../../shared/policy-analysis/verify/policy-verification.ts'
import { catalogEntry } from './gate-case.ts'

const folder = new URL('../../cases/fixtures/', import.meta.url)

describe('the fixtures of this repository', () => {
  const texts = readdirSync(folder).map(
    (file): FixtureText => ({
      file,
      format: file.endsWith('.json') ? 'json' : 'yaml',
      bytes: readFileSync(new URL(file, folder)),
    }),
  )
  const report = reportOf(texts)

  it('are decided as they expect', () => {
    expect(report.cases).toBeGreaterThan(25)
    expect(report.fixtures.flatMap(({ cases }) => cases).filter(one => one.differences.length > 0)).toEqual(
      [],
    )
  })

  it('propose every operation that their policies allow', () => {
    expect(report.coverage).toMatchObject({ percent: 100, missing: [] })
  })

  it.each(policyTemplates)('one is about the template $name as it is built in', ({ name, policy }) => {
    const about = texts.find(({ file }) => file.startsWith(`${name}.`))
    const built = {
      file: 'built-in',
      format: 'json' as const,
      bytes: bytesOf(fixture({ policy: policy as unknown as JsonObject })),
    }
    // Fixtures of one policy are counted together: another one would add its operations.
    const together = reportOf([...(about ? [about] : []), built]).coverage
    expect(about && reportOf([about]).coverage).toEqual(together)
  })
})

describe('what is expected and what the gate decides', () => {
  const large = { amount: 51 }

  it.each([
    { name: 'the decision', expected: { decision: 'deny' }, differs: ['decision'] },
    { name: 'as expected', expected: { decision: 'allow' }, differs: [] },
    { name: 'a code', parameters: large, expected: denied('parameter_above_max'), differs: [] },
    {
      name: 'a part of a code',
      parameters: large,
      expected: denied('parameter'),
      differs: ['blocking_reason'],
    },
    {
      name: 'a whole reason',
      parameters: large,
      expected: denied('parameter_above_max: amount must be at most 50'),
      differs: [],
    },
    { name: 'words of a reason', parameters: large, expected: denied('amount must be'), differs: [] },
    {
      name: 'the words of no reason',
      parameters: large,
      expected: denied('amount is missing'),
      differs: ['blocking_reason'],
    },
    {
      name: 'a reason where none is',
      expected: { decision: 'allow', blocking_reason: 'x' },
      differs: ['blocking_reason'],
    },
    {
      name: 'the second reason',
      parameters: { amount: 51, currency: 'JPY' },
      expected: denied('parameter_not_one_of'),
      differs: [],
    },
    {
      name: 'held',
      level: 'high',
      expected: { decision: 'needs_approval', review_route: 'leads' },
      differs: [],
    },
    {
      name: 'another route',
      level: 'high',
      expected: { decision: 'needs_approval', review_route: 'x' },
      differs: ['review_route'],
    },
    {
      name: 'a route where none is',
      expected: { decision: 'allow', review_route: 'leads' },
      differs: ['review_route'],
    },
    {
      name: 'everything',
      expected: { decision: 'deny', review_route: 'x', blocking_reason: 'x' },
      differs: ['decision', 'review_route', 'blocking_reason'],
    },
  ])('$name', ({ parameters = {}, level = 'low', expected, differs }) => {
    const report = reportOf([text(fixture({ cases: [one({ parameters, level, expected })] }))])
    const differences = report.fixtures[0]?.cases[0]?.differences ?? []
    expect(differences.map(({ field }) => field)).toEqual(differs)
    expect(report.result).toBe(differs.length === 0 ? 'as_expected' : 'different')
  })

  it('names what was expected, what came and the checks that decided', () => {
    const expected = { decision: 'allow', review_route: 'leads' }
    const report = reportOf([
      text(fixture({ cases: [one({ parameters: { amount: 51, currency: 'JPY' }, expected })] })),
    ])
    expect(report.fixtures[0]?.cases[0]).toEqual({
      name: 'a case',
      decision: 'deny',
      differences: [
        { field: 'decision', expected: 'allow', actual: 'deny' },
        { field: 'review_route', expected: 'leads', actual: null },
      ],
      decided_by: [
        {
          check: 'parameter_max',
          code: 'parameter_above_max',
          message: 'amount must be at most 50',
          path: 'action.parameters.amount',
        },
        expect.objectContaining({ check: 'parameter_one_of', path: 'action.parameters.currency' }),
      ],
    })
  })

  it('a strict gate asks for a catalog', () => {
    const strict = checkFixtures([text(fixture({}))], { strict: true })
    expect(strict).toMatchObject({ ok: true, value: { result: 'different' } })
    expect(reportOf([text(fixture({ strict: true }))]).result).toBe('different')
    expect(reportOf([text(fixture({ strict: false }))]).result).toBe('as_expected')
  })

  it.each(['mock', 'http', 'mcp', 'module'])(
    'a catalog is decided with the %s actuator that it binds',
    kind => {
      const tool_schema_hash = kind === 'module' || kind === 'mcp' ? `sha256:${'a'.repeat(64)}` : null
      const entry = catalogEntry({
        system: 'pay',
        operation: 'refund',
        actuator: { name: 'pay', kind },
        tool_schema_hash,
        parameter_schema: {
          type: 'object',
          properties: { amount: { type: 'number' }, currency: { type: 'string' } },
          additionalProperties: false,
        },
      })
      const catalog = { operations: [entry] } as unknown as JsonObject
      const strict = checkFixtures([text(fixture({ catalog }))], { strict: true })
      expect(strict).toMatchObject({ ok: true, value: { result: 'as_expected' } })
    },
  )
})

describe('the fixture that comes with a witness of verification', () => {
  it.each(['basic', 'strict'] as const)('differs in %s mode until the policy is mended', mode => {
    const policy = readPolicy(policyOf())
    if (!policy.ok) throw new Error('the policy is refused')
    const properties = { amount: { type: 'number' }, currency: { type: 'string' } }
    const parameter_schema: JsonObject = { type: 'object', properties, additionalProperties: false }
    const catalog = { operations: [catalogEntry({ system: 'pay', operation: 'refund', parameter_schema })] }
    const forbidden = [{ name: 'more than 10', decision: 'allow', where: { amount: { min: 10 } } } as const]
    const { outcomes } = inOneGo(verifyPolicy({ policy: policy.policy, catalog, mode, forbidden }))
    const [witness = {}] = outcomes.map(outcome => outcome.fixture)
    expect(reportOf([text(witness)])).toMatchObject({ cases: 1, different: 1 })
    const mended = JSON.parse(JSON.stringify(witness).replace('"max":50', '"max":9'))
    expect(reportOf([text(mended)])).toMatchObject({ cases: 1, different: 0 })
  })
})

describe('how much of a policy is covered', () => {
  it('is rounded down', () => {
    const policy = { ...policyOf(), allowed_operations: { pay: ['a', 'b', 'refund'] } }
    expect(reportOf([text(fixture({ policy }))]).coverage).toEqual({
      exercised: 1,
      operations: 3,
      percent: 33,
      missing: ['pay a', 'pay b'],
    })
  })

  it('counts fixtures of one policy together, and those of others apart', () => {
    const policy = { ...policyOf(), allowed_operations: { pay: ['charge', 'refund'] } }
    const other = { ...policy, review_route: 'others' }
    const charge = one({ operation: 'charge', expected: { decision: 'allow' } })
    const both = [text(fixture({ policy })), text(fixture({ policy, cases: [charge] }))]
    expect(reportOf(both).coverage).toMatchObject({ exercised: 2, operations: 2 })
    expect(reportOf([...both, text(fixture({ policy: other }))]).coverage).toMatchObject({
      exercised: 3,
      operations: 4,
      percent: 75,
    })
  })

  it('has no figure where the policy lists nothing', () => {
    const { allowed_operations: _, ...policy } = policyOf()
    expect(reportOf([text(fixture({ policy }))]).coverage).toMatchObject({ operations: 0, percent: null })
  })
})

describe('what is no fixture', () => {
  it.each<{ name: string; change: JsonObject; path: string; code: string }>([
    { name: 'an unknown field', change: { mode: 'strict' }, path: 'mode', code: 'unknown_field' },
    { name: 'no cases', change: { cases: [] }, path: 'cases', code: 'too_small' },
    { name: 'no policy', change: { policy: 'x' }, path: 'policy', code: 'invalid_type' },
    { name: 'a catalog that is none', change: { catalog: [] }, path: 'catalog', code: 'invalid_type' },
    {
      name: 'an unknown field of a policy',
      change: { policy: { ...policyOf(), allow: true } },
      path: 'policy.allow',
      code: 'unknown_field',
    },
    {
      name: 'a policy that contradicts itself',
      change: {
        policy: { ...policyOf(), parameter_constraints: { pay: { refund: { amount: { min: 2, max: 1 } } } } },
      },
      path: 'policy.parameter_constraints.pay.refund.amount.min',
      code: 'min_above_max',
    },
    {
      name: 'an open schema of a catalog',
      change: {
        catalog: {
          operations: [{ ...catalogEntry({}), parameter_schema: { type: 'object' } }],
        } as unknown as JsonObject,
      },
      path: 'catalog.operations[0].parameter_schema',
      code: 'open_object',
    },
    {
      name: 'an unknown field of what is expected',
      change: { cases: [one({ expected: { decision: 'deny', blocking_reasons: [] } })] },
      path: 'cases[0].expect.blocking_reasons',
      code: 'unknown_field',
    },
    {
      name: 'an unknown decision',
      change: { cases: [one({ expected: { decision: 'denied' } })] },
      path: 'cases[0].expect.decision',
      code: 'invalid_value',
    },
    {
      name: 'a proposal that would be refused',
      change: { cases: [{ ...one({ expected: { decision: 'deny' } }), proposal: { proposal_id: 'x' } }] },
      path: 'cases[0].proposal.action',
      code: 'invalid_type',
    },
  ])('$name is refused as $code', ({ change, path, code }) => {
    expect(problemsOf([text({ ...fixture({}), ...change })])).toContainEqual(
      expect.objectContaining({ file: 'a.json', path, code }),
    )
  })

  it('tells the problems of every file and every part at once', () => {
    const broken = { ...fixture({}), policy: { ...policyOf(), a: 1 }, catalog: { b: 1 }, c: 1 }
    const problems = problemsOf([
      text(broken),
      { file: 'b.json', format: 'json', bytes: Buffer.from('{"name": 1, "name": 2}') },
      { file: 'c.yaml', format: 'yaml', bytes: Buffer.from('name: [') },
      text(fixture({})),
    ])
    expect(problems.map(({ file, path, code }) => [file, path, code])).toEqual([
      ['a.json', 'c', 'unknown_field'],
      ['a.json', 'policy.a', 'unknown_field'],
      ['a.json', 'catalog.operations', 'invalid_type'],
      ['a.json', 'catalog.b', 'unknown_field'],
      ['b.json', 'name', 'duplicate_key'],
      ['c.yaml', '', 'invalid_yaml'],
    ])
  })
})

function policyOf(): JsonObject {
  return {
    allowed_systems: ['pay'],
    allowed_operations: { pay: ['refund'] },
    parameter_constraints: {
      pay: {
        refund: { amount: { required: false, max: 50 }, currency: { required: false, one_of: ['EUR'] } },
      },
    },
    approval_required_at: 'medium',
    review_route: 'leads',
  }
}

function denied(blocking_reason: string): JsonObject {
  return { decision: 'deny', blocking_reason }
}

interface OneCase {
  operation?: string
  parameters?: JsonObject
  level?: string
  expected: JsonObject
}

function one({ operation = 'refund', parameters = {}, level = 'low', expected }: OneCase): JsonObject {
  const proposal = {
    proposal_id: 'p-1',
    actor: { agent_id: 'agent' },
    summary: 'a case',
    action: { target_system: 'pay', operation, parameters },
    risk: { level },
  }
  return { name: 'a case', proposal, expect: expected }
}

function fixture(change: Record<string, JsonValue>): JsonObject {
  return {
    name: 'a fixture',
    policy: policyOf(),
    cases: [one({ expected: { decision: 'allow' } })],
    ...change,
  }
}

function text(value: JsonObject): FixtureText {
  return { file: 'a.json', format: 'json', bytes: bytesOf(value) }
}

function bytesOf(value: JsonObject): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function reportOf(texts: readonly FixtureText[]): FixtureReport {
  const checked = checkFixtures(texts, { strict: false })
  if (!checked.ok) throw new Error(JSON.stringify(checked.error))
  return checked.value
}

function problemsOf(texts: readonly FixtureText[]): FixtureProblem[] {
  const checked = checkFixtures(texts, { strict: false })
  if (checked.ok) throw new Error('all were read')
  return checked.error
}
