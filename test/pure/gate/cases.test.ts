import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../shared/gate/evaluate.ts'
import { compiledPolicyOf, gateCaseFiles, proposalOf } from './gate-case.ts'

const denialCodes = [
  'system_not_allowed',
  'operation_not_allowed',
  'explicit_operation_required',
  'actuator_not_registered',
  'catalog_required',
  'operation_not_in_catalog',
  'parameters_outside_schema',
  'actuator_binding_mismatch',
  'tool_schema_mismatch',
  'parameter_missing',
  'parameter_ambiguous',
  'parameter_not_equal',
  'parameter_not_one_of',
  'parameter_not_a_number',
  'parameter_below_min',
  'parameter_above_max',
]

const files = gateCaseFiles()

describe.each(files)('gate cases: $name', file => {
  const compiled = compiledPolicyOf(file.policy, file)

  it.each(file.cases)('$name', ({ proposal, expect: expected }) => {
    const evaluation = evaluate(proposalOf(file.base, proposal), compiled)

    const failing = evaluation.checks.filter(check => check.outcome === 'fail')
    expect(failing.map(check => check.code)).toEqual(expected.codes)
    expect(evaluation.decision).toBe(expected.decision)
    expect(evaluation.blocking_reasons).toEqual(failing.map(check => `${check.code}: ${check.message}`))
    if (expected.review_route !== undefined) expect(evaluation.review_route).toBe(expected.review_route)
    const { level, raised_by } = evaluation.effective_risk
    if (expected.risk !== undefined) expect([level, raised_by]).toEqual(expected.risk)
  })
})

it('the cases cover every reason for a denial', () => {
  const covered = files.flatMap(file => file.cases.flatMap(({ expect: expected }) => expected.codes))
  expect([...new Set(covered)].sort()).toEqual(denialCodes.sort())
})
