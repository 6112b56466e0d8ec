import { inOneGo } from '../../shared/contract/base/slices.ts'
import type { OutcomeQuery } from '../../shared/contract/configuration/verification-schema.ts'
import type { Subject } from '../../shared/policy-analysis/operations.ts'
import { unmodelled } from '../../shared/policy-analysis/unmodelled.ts'
import { verifyPolicy } from '../../shared/policy-analysis/verify/policy-verification.ts'
import { gateOf, matches, proposals } from './brute-force.ts'
import { chanceOf } from './random.ts'
import { randomQuery, randomSubject } from './random-case.ts'

export interface CheckedCase {
  result: 'reachable' | 'unreachable' | 'inconclusive'
  /** What is wrong, for people to read; null where proof and brute force agree. */
  disagreement: string | null
}

/** Proves one random outcome of random documents and compares it with what trying finds out. */
export function checkCase(seed: number, tries: number): CheckedCase {
  const chance = chanceOf(seed)
  const outside = chance.maybe(0.2)
  const subject = randomSubject(chance, { outside })
  const query = randomQuery(chance, subject)
  const { outcomes, mismatches } = inOneGo(verifyPolicy({ ...subject, forbidden: [query] }))
  const [answer] = outcomes
  if (!answer) throw new Error('an outcome is missing')
  const told = (text: string) => ({
    result: answer.result,
    disagreement: describe(text, { seed, subject, query }),
  })
  if (mismatches.length > 0) return told('the gate did not confirm the witness')
  if (answer.result === 'reachable') {
    if (!answer.witness) return told('reachable without a witness')
    const evaluation = gateOf(subject)(answer.witness)
    if (!matches(query, subject, { proposal: answer.witness, evaluation })) {
      return told(`the witness is none: ${JSON.stringify(answer.witness)}`)
    }
    return { result: 'reachable', disagreement: null }
  }
  const profiled = subject.catalog === null || unmodelled(subject.catalog).length === 0
  if (answer.result === 'inconclusive' && profiled)
    return told(`inconclusive within the profile: ${answer.why}`)
  if (answer.result === 'inconclusive') return { result: 'inconclusive', disagreement: null }
  const gate = gateOf(subject)
  for (const proposal of proposals([subject], query, { chance, count: tries })) {
    if (matches(query, subject, { proposal, evaluation: gate(proposal) })) {
      return told(
        `called unreachable (${answer.why}), but: ${JSON.stringify(proposal.action)} ${proposal.risk.level}`,
      )
    }
  }
  return { result: 'unreachable', disagreement: null }
}

function describe(text: string, found: { seed: number; subject: Subject; query: OutcomeQuery }): string {
  const { seed, subject, query } = found
  return `seed ${seed}: ${text}\n  query ${JSON.stringify(query)}\n  documents ${JSON.stringify(subject)}`
}
