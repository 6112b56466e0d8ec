import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { evaluationSchema } from '../../../shared/contract/action/verdict.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import { evaluate } from '../../../shared/gate/evaluate.ts'
import { unconstrained } from '../../../shared/gate/parameter-rules.ts'
import { compiledPolicyOf, proposalOf } from './gate-case.ts'

const policy = {
  allowed_systems: ['pay'],
  allowed_operations: { pay: ['refund'] },
  parameter_constraints: {
    pay: {
      refund: {
        'order.id': {},
        note: { required: false, equals: 'x' },
        amount: { min: 1, max: 50 },
        currency: { one_of: ['USD', 'EUR'] },
      },
    },
  },
  approval_required_at: 'medium',
  review_route: 'support-leads',
}
const compiled = compiledPolicyOf(policy)
const refund = {
  target_system: 'pay',
  operation: 'refund',
  parameters: { amount: 20, currency: 'EUR', order: { id: 'o-1' } },
}

function outline(evaluation: ReturnType<typeof evaluate>): string[] {
  return evaluation.checks.map(({ check, outcome, code, message, path }) =>
    [check, outcome, code, message, path].join(' | '),
  )
}

describe('evaluate', () => {
  it('lists every check in order, whatever their outcome', () => {
    const evaluation = evaluate(proposalOf({ action: refund }), compiled)

    expect(outline(evaluation)).toEqual([
      'system_allowed | pass |  | the system is allowed | action.target_system',
      'operation_allowed | pass |  | the operation is allowed | action.operation',
      'actuator_registered | pass |  | an actuator is registered for the system | action.target_system',
      'catalog_entry | skipped |  | no active catalog | action.operation',
      'parameters_schema | skipped |  | no active catalog | action.parameters',
      'actuator_binding | skipped |  | no active catalog | action.target_system',
      'tool_schema_commitment | skipped |  | no active catalog | action.operation',
      'parameter_present | pass |  | amount is present | action.parameters.amount',
      'parameter_is_number | pass |  | amount is a number | action.parameters.amount',
      'parameter_min | pass |  | amount is at least 1 | action.parameters.amount',
      'parameter_max | pass |  | amount is at most 50 | action.parameters.amount',
      'parameter_present | pass |  | currency is present | action.parameters.currency',
      'parameter_one_of | pass |  | currency is one of "EUR", "USD" | action.parameters.currency',
      'parameter_present | pass |  | note is optional and missing | action.parameters.note',
      'parameter_equals | skipped |  | note is missing | action.parameters.note',
      'parameter_present | pass |  | order.id is present | action.parameters.order.id',
      'approval_threshold | pass |  | effective risk low is below the approval threshold medium | risk.level',
    ])
  })

  it('names the failing bounds and reports each of them', () => {
    const parameters = { amount: '60', currency: 'CHF', note: 'y', order: [] }
    const evaluation = evaluate(
      proposalOf({ action: { ...refund, parameters }, risk: { level: 'high' } }),
      compiled,
    )

    expect(evaluation.decision).toBe('deny')
    expect(evaluation.review_route).toBeNull()
    expect(evaluation.blocking_reasons).toEqual([
      'parameter_not_a_number: amount must be a number',
      'parameter_not_one_of: currency must be one of "EUR", "USD"',
      'parameter_not_equal: note must be equal to "x"',
      'parameter_missing: order.id is required',
    ])
    expect(outline(evaluation).slice(7)).toEqual([
      'parameter_present | pass |  | amount is present | action.parameters.amount',
      'parameter_is_number | fail | parameter_not_a_number | amount must be a number | action.parameters.amount',
      'parameter_min | skipped |  | amount is not a number | action.parameters.amount',
      'parameter_max | skipped |  | amount is not a number | action.parameters.amount',
      'parameter_present | pass |  | currency is present | action.parameters.currency',
      'parameter_one_of | fail | parameter_not_one_of | currency must be one of "EUR", "USD" | action.parameters.currency',
      'parameter_present | pass |  | note is present | action.parameters.note',
      'parameter_equals | fail | parameter_not_equal | note must be equal to "x" | action.parameters.note',
      'parameter_present | fail | parameter_missing | order.id is required | action.parameters.order.id',
      'approval_threshold | pass | approval_required | effective risk high is at or above the approval threshold medium | risk.level',
    ])
  })

  it('answers a held proposal with its route, risk and commitments', () => {
    const evaluation = evaluate(proposalOf({ action: refund, risk: { level: 'high' } }), compiled)

    expect(evaluationSchema.parse(evaluation)).toEqual(evaluation)
    expect(evaluation).toMatchObject({
      decision: 'needs_approval',
      review_route: 'support-leads',
      blocking_reasons: [],
      effective_risk: { level: 'high', claimed: 'high', raised_by: null },
      policy: { revision: 1, hash: compiled.policy.hash },
      catalog: null,
    })
  })

  it('skips the operation of a system that is neither allowed nor listed', () => {
    const evaluation = evaluate(proposalOf({ action: { target_system: 'other' } }), compiled)

    expect(outline(evaluation)).toContain(
      'operation_allowed | skipped |  | the system is not allowed | action.operation',
    )
  })

  it('cuts long names, constants and bounds in messages, and no character in two', () => {
    const long = '😀'.repeat(150)
    const wide = compiledPolicyOf({
      ...policy,
      parameter_constraints: { pay: { refund: { x: { equals: long }, y: { one_of: [`a${long}`, long] } } } },
    })
    const name = 'n'.repeat(200)
    const evaluation = evaluate(
      proposalOf(
        { action: { target_system: name, operation: name } },
        { action: { parameters: { x: 1, y: 1 } } },
      ),
      wide,
    )
    const denied = evaluate(
      proposalOf({ action: { ...refund, parameters: { x: long.slice(2), y: 1 } } }),
      wide,
    )

    const messages = [...evaluation.checks, ...denied.checks].map(check => check.message)
    expect(Math.max(...messages.map(message => message.length))).toBeLessThan(160)
    expect(messages.filter(message => /\p{Surrogate}/u.test(message))).toEqual([])
    expect(denied.blocking_reasons).toHaveLength(2)
  })

  it('does not repeat what the caller sent as parameters', () => {
    const parameters = { amount: 'canary', currency: 'canary', note: 'canary', order: 'canary' }
    const evaluation = evaluate(proposalOf({ action: { ...refund, parameters } }), compiled)

    expect(JSON.stringify(evaluation)).not.toContain('canary')
  })

  it('gives each verdict its own list of checks, and lets nobody change a shared one', () => {
    const first = evaluate(proposalOf({ action: refund }), compiled)
    for (const action of [refund, { ...refund, parameters: {} }]) {
      const one = evaluate(proposalOf({ action }), compiled)
      const other = evaluate(proposalOf({ action }), compiled)
      const shared = one.checks.filter(check => other.checks.includes(check))
      expect(shared.length).toBeGreaterThan(0)
      expect(shared.every(check => Object.isFrozen(check))).toBe(true)
    }
    expect(Object.isFrozen(first.policy)).toBe(true)
    first.checks.length = 0

    expect(evaluate(proposalOf({ action: refund }), compiled).checks).toHaveLength(17)
  })
})

describe('evaluate with a catalog', () => {
  const parameter_schema = {
    type: 'object',
    properties: {
      amount: { type: 'number', maximum: 100 },
      currency: { enum: ['EUR', 'USD'] },
      note: { type: 'string', pattern: '^[a-z]*$' },
      order: { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false },
    },
    required: ['amount', 'currency'],
    additionalProperties: false,
  }
  const entry = { system: 'pay', operation: 'refund', minimum_risk: 'high', parameter_schema } as const
  const reviewed = compiledPolicyOf(policy, { catalog: [entry] })

  function catalogChecks(action: object, under = reviewed): string[] {
    return outline(evaluate(proposalOf({ action: { ...refund, ...action } }), under)).slice(3, -10)
  }

  it('lists what the catalog says between the policy and its parameters', () => {
    const evaluation = evaluate(proposalOf({ action: refund }), reviewed)

    expect(evaluationSchema.parse(evaluation)).toEqual(evaluation)
    expect(evaluation).toMatchObject({
      decision: 'needs_approval',
      effective_risk: { level: 'high', claimed: 'low', raised_by: 'catalog' },
      catalog: { revision: 2, hash: expect.stringMatching(/^sha256:/) },
    })
    expect(catalogChecks({})).toEqual([
      'catalog_entry | pass |  | the operation is in the catalog | action.operation',
      'parameters_schema | pass |  | the parameters meet the schema of the catalog | action.parameters',
      'actuator_binding | pass |  | the actuator is the one that the catalog names | action.target_system',
      'tool_schema_commitment | pass |  | the catalog commits to no tool schema | action.operation',
    ])
    expect(outline(evaluation).at(-1)).toBe(
      'approval_threshold | pass | approval_required | effective risk high is at or above the approval threshold medium | risk.level',
    )
  })

  it('names each place outside the schema, and the keyword', () => {
    const parameters = { amount: 101, note: 'X', order: { id: 1 }, extra: 'canary' }
    expect(catalogChecks({ parameters }).slice(1, -2).sort()).toEqual([
      'parameters_schema | fail | parameters_outside_schema | amount must be at most 100 (maximum) | action.parameters.amount',
      'parameters_schema | fail | parameters_outside_schema | currency is required (required) | action.parameters.currency',
      'parameters_schema | fail | parameters_outside_schema | extra is not admitted: there may be amount, currency, note, order (additionalProperties) | action.parameters.extra',
      'parameters_schema | fail | parameters_outside_schema | note must match ^[a-z]*$ (pattern) | action.parameters.note',
      'parameters_schema | fail | parameters_outside_schema | order.id must be a string (type) | action.parameters.order.id',
    ])
  })

  it('says what was expected and what was found', () => {
    const tool_schema_hash = `sha256:${'0'.repeat(64)}`
    const actuator = { name: 'pay', kind: 'module' }
    const other = compiledPolicyOf(policy, { catalog: [{ ...entry, actuator, tool_schema_hash }] })
    expect(catalogChecks({}, other).slice(2)).toEqual([
      'actuator_binding | fail | actuator_binding_mismatch | the catalog binds the operation to the module actuator "pay", not to the mock actuator "pay" | action.target_system',
      `tool_schema_commitment | fail | tool_schema_mismatch | the catalog commits to tool schema ${tool_schema_hash}, and the actuator has none | action.operation`,
    ])
  })

  it('skips what an entry would have said where there is none', () => {
    expect(
      outline(evaluate(proposalOf({ action: { ...refund, operation: 'void' } }), reviewed)).slice(3, 7),
    ).toEqual([
      'catalog_entry | fail | operation_not_in_catalog | operation "void" of system "pay" is not in the catalog | action.operation',
      'parameters_schema | skipped |  | the operation is not in the catalog | action.parameters',
      'actuator_binding | skipped |  | the operation is not in the catalog | action.target_system',
      'tool_schema_commitment | skipped |  | the operation is not in the catalog | action.operation',
    ])
  })

  it('does not repeat the values that the caller sent', () => {
    const parameters = {
      amount: 'canary',
      currency: 'canary',
      note: 'CANARY',
      order: ['canary'],
      other: 'canary',
    }
    const evaluation = evaluate(proposalOf({ action: { ...refund, parameters } }), reviewed)

    expect(evaluation.decision).toBe('deny')
    expect(JSON.stringify(evaluation)).not.toMatch(/canary/i)
  })

  it('can be written down whatever the names are', () => {
    const parameters = { [`${'n'.repeat(98)}😀`]: 1, 'a.b[0]': 1, [`😀${'x'.repeat(300)}`]: { y: 1 } }
    const evaluation = evaluate(proposalOf({ action: { ...refund, parameters } }), reviewed)

    expect(() => canonicalJson(evaluation as unknown as JsonValue)).not.toThrow()
    expect(Math.max(...evaluation.blocking_reasons.map(reason => reason.length))).toBeLessThan(200)
  })
})

describe('compilePolicies', () => {
  it('looks actuators up by their own name', () => {
    expect(compiled.actuator('pay')).toEqual({ name: 'pay', kind: 'mock', settings: {} })
    expect(compiled.actuator('constructor')).toBeUndefined()
  })

  it('remembers nothing of operations that the policy does not constrain', () => {
    expect(compiled.parameterRules('pay', 'refund')).toBe(compiled.parameterRules('pay', 'refund'))
    expect(compiled.parameterRules('pay', 'refund').passing).toHaveLength(9)
    expect(compiled.parameterRules('pay', 'toString')).toBe(unconstrained)
    expect(compiled.parameterRules('constructor', 'name')).toBe(unconstrained)
  })
})
