import type { Evaluation } from '../contract/action/verdict.ts'
import type { FreezeSelector } from '../contract/configuration/freeze-schema.ts'
import { failed } from './check.ts'

/** The facts of a proposal that freezes compare. If `key_id` is null, a freeze of a key does not apply. */
export interface FreezeSubject {
  system: string
  operation: string
  key_id: string | null
}

/** Denies a proposal that a freeze covers (extension). Any other evaluation is returned unchanged. */
export function applyFreezes(
  evaluation: Evaluation,
  freezes: readonly FreezeSelector[],
  subject: FreezeSubject,
): Evaluation {
  if (!isFrozen(freezes, subject)) return evaluation
  const check = failed(
    { check: 'not_frozen', path: null },
    'frozen',
    'an operator has frozen this kind of action',
  )
  const { approvals_required: _, route: __, ...denied } = evaluation
  return {
    ...denied,
    decision: 'deny',
    review_route: null,
    blocking_reasons: [...evaluation.blocking_reasons, `frozen: ${check.message}`],
    checks: [...evaluation.checks, check],
  }
}

export function isFrozen(freezes: readonly FreezeSelector[], subject: FreezeSubject): boolean {
  return freezes.some(freeze => matches(freeze, subject))
}

function matches(freeze: FreezeSelector, subject: FreezeSubject): boolean {
  return (
    (freeze.system === null || freeze.system === subject.system) &&
    (freeze.operation === null || freeze.operation === subject.operation) &&
    (freeze.key_id === null || freeze.key_id === subject.key_id)
  )
}
