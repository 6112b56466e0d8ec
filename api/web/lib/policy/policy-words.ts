import type { RiskLevel } from '../../../../shared/contract/action/proposal-schema.ts'
import type { Decision } from '../../../../shared/contract/action/verdict.ts'
import type { Constraint, PolicyInput } from '../../../../shared/contract/configuration/policy.ts'

const valuesToldMax = 8
const valueLengthMax = 80

/** Returns the allowed values of a parameter in words: "at least 1 and at most 50, if given". */
export function constraintWords({ required = true, equals, one_of, min, max }: Constraint): string {
  const bounds = [
    ...(equals === undefined ? [] : [`exactly ${shortJson(equals)}`]),
    ...(one_of === undefined ? [] : [oneOfWords(one_of)]),
    ...(min === undefined ? [] : [`at least ${shortJson(min)}`]),
    ...(max === undefined ? [] : [`at most ${shortJson(max)}`]),
  ]
  if (bounds.length === 0) return required ? 'must be given' : 'anything, or nothing'
  return `${bounds.join(' and ')}${required ? '' : ', if given'}`
}

const thresholds: Readonly<Record<RiskLevel, string>> = {
  low: 'Every action waits for a person',
  medium: 'Actions of medium and high risk wait for a person',
  high: 'Actions of high risk wait for a person',
}

export function thresholdWords(level: PolicyInput['approval_required_at']): string {
  return thresholds[level]
}

export function approvalsWords(required: number): string {
  return required === 1 ? 'One approval' : `${required} approvals, by different people`
}

const decisions: Readonly<Record<Decision, string>> = {
  allow: 'Allowed',
  needs_approval: 'Held for approval',
  deny: 'Denied',
}

export function decisionWords(decision: Decision): string {
  return decisions[decision]
}

function oneOfWords(values: readonly unknown[]): string {
  if (values.length === 1) return `exactly ${shortJson(values[0])}`
  const shown = values.slice(0, valuesToldMax).map(shortJson).join(', ')
  const rest = values.length - valuesToldMax
  return `one of ${shown}${rest > 0 ? ` and ${rest} more` : ''}`
}

function shortJson(value: unknown): string {
  const characters = [...(JSON.stringify(value) ?? '')]
  if (characters.length <= valueLengthMax) return characters.join('')
  return `${characters.slice(0, valueLengthMax).join('')}…`
}
