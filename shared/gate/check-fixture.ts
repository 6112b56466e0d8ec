import type { CheckedCase, Difference, FixtureCase } from '../contract/fixture.ts'
import type { Check, Evaluation } from '../contract/verdict.ts'
import { assumedActuators } from './assumed-actuators.ts'
import { evaluate } from './evaluate.ts'
import { compileGoverning } from './governing.ts'
import type { ReadFixture } from './read-fixture.ts'

/** Decides every case of a fixture with the gate itself. The actuators that it needs are taken to be registered. */
export function checkFixture({ policy, catalog, strict, cases }: ReadFixture): CheckedCase[] {
  const targets = cases.map(({ proposal }) => proposal.action.target_system)
  const governing = compileGoverning({
    policy: policy.document,
    policyRevision: 1,
    policyHash: policy.hash,
    catalog: catalog && { catalog: catalog.document, revision: 1, hash: catalog.hash },
    actuators: assumedActuators(policy.document, catalog?.document ?? null, targets),
    strict,
  })
  return cases.map(fixtureCase => {
    const evaluation = evaluate(fixtureCase.proposal, governing)
    return {
      name: fixtureCase.name,
      decision: evaluation.decision,
      differences: differencesOf(fixtureCase.expect, evaluation),
      decided_by: decidingChecks(evaluation),
    }
  })
}

function differencesOf(expected: FixtureCase['expect'], evaluation: Evaluation): Difference[] {
  const { decision, review_route: route, blocking_reason: reason } = expected
  const { blocking_reasons: reasons } = evaluation
  const differences: Difference[] = []
  if (decision !== evaluation.decision) {
    differences.push({ field: 'decision', expected: decision, actual: evaluation.decision })
  }
  if (route !== undefined && route !== evaluation.review_route) {
    differences.push({ field: 'review_route', expected: route, actual: evaluation.review_route })
  }
  if (reason !== undefined && !reasons.some(given => isReason(reason, given))) {
    const actual = reasons.length === 0 ? null : reasons.join('; ')
    differences.push({ field: 'blocking_reason', expected: reason, actual })
  }
  return differences
}

const codeForm = /^[a-z]+(_[a-z]+)*$/

/** One word is a code and has to be that of the reason; anything else has to stand in it. */
function isReason(expected: string, reason: string): boolean {
  return codeForm.test(expected) ? reason.startsWith(`${expected}: `) : reason.includes(expected)
}

function decidingChecks({ decision, checks }: Evaluation): CheckedCase['decided_by'] {
  return checks
    .filter(({ check, outcome }) =>
      decision === 'deny' ? outcome === 'fail' : check === 'approval_threshold',
    )
    .map(({ check, code, message, path }: Check) => ({ check, code, message, path }))
}
