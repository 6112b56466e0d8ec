import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../shared/contract/action/verdict.ts'
import {
  type PolicyTemplate,
  policyTemplateSchema,
} from '../../../shared/contract/configuration/getting-started.ts'
import { evaluate } from '../../../shared/gate/evaluate.ts'
import { readPolicy } from '../../../shared/gate/read-documents.ts'
import { policyTemplates } from '../../../shared/gate/templates.ts'
import { compiledPolicyOf } from './gate-case.ts'

const saidInTheText: Record<string, Decision> = {
  'The example is allowed.': 'allow',
  'The example is held for approval.': 'needs_approval',
  'The example is denied.': 'deny',
}

it('there are the three kinds that readers look for, by distinct names', () => {
  expect(policyTemplates.map(template => template.name)).toEqual(['analytics', 'support', 'deployment'])
})

describe.each(policyTemplates)('template $name', template => {
  const compiled = compiledPolicyOf(template.policy, { actuators: template.mock_actuators })

  it('has the shape that is published', () => {
    expect(policyTemplateSchema.parse(template)).toEqual(template)
  })

  it('has a policy without warnings, whose systems are exactly its mock actuators', () => {
    expect(readPolicy(template.policy)).toMatchObject({ ok: true, warnings: [] })
    expect(template.policy.allowed_systems).toEqual(template.mock_actuators)
  })

  it('decides its example as its description says', () => {
    const [sentence = ''] = template.description.match(/The example is [^.]*\.$/) ?? []
    expect(evaluate(template.example_proposal, compiled).decision).toBe(saidInTheText[sentence])
  })
})

describe('the support template shows all three decisions', () => {
  const template = named('support')
  const compiled = compiledPolicyOf(template.policy, { actuators: template.mock_actuators })
  const { action } = template.example_proposal

  const tooMuch = 'parameter_above_max: amount must be at most 50'
  it.each([
    { name: 'a refund of 50 at low risk', change: { amount: 50 }, level: 'low', answer: ['allow'] },
    { name: 'the same at medium risk', change: { amount: 50 }, level: 'medium', answer: ['needs_approval'] },
    { name: 'the same at high risk', change: { amount: 50 }, level: 'high', answer: ['needs_approval'] },
    { name: 'more than 50', change: { amount: 50.01 }, level: 'low', answer: ['deny', tooMuch] },
    { name: 'far more, at high risk', change: { amount: 500 }, level: 'high', answer: ['deny', tooMuch] },
    {
      name: 'a refund without an order',
      change: { order: {} },
      level: 'low',
      answer: ['deny', 'parameter_missing: order.id is required'],
    },
  ] as const)('$name', ({ change, level, answer }) => {
    const evaluation = evaluate(
      {
        ...template.example_proposal,
        action: { ...action, parameters: { ...action.parameters, ...change } },
        risk: { level },
      },
      compiled,
    )
    expect([evaluation.decision, ...evaluation.blocking_reasons]).toEqual(answer)
  })
})

it('the deployment template runs the test runner, and none of it in strict mode', () => {
  const template = named('deployment')
  const proposal = {
    ...template.example_proposal,
    action: { target_system: 'test-runner', operation: 'run_smoke_tests', parameters: {} },
    risk: { level: 'low' as const },
  }
  const options = { actuators: template.mock_actuators }
  expect(evaluate(proposal, compiledPolicyOf(template.policy, options)).decision).toBe('allow')
  expect(
    evaluate(proposal, compiledPolicyOf(template.policy, { ...options, strict: true })).blocking_reasons[0],
  ).toMatch(/^explicit_operation_required: /)
})

function named(name: string): PolicyTemplate {
  const template = policyTemplates.find(candidate => candidate.name === name)
  if (!template) throw new Error(`no template ${name}`)
  return template
}
