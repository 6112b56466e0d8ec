import { inOneGo } from '../../shared/contract/base/slices.ts'
import type {
  AccessChange,
  AccessGroup,
  PolicyDiff,
} from '../../shared/contract/configuration/policy-diff.ts'
import { diffPolicies } from '../../shared/policy-analysis/diff/diff-policies.ts'
import type { Subject } from '../../shared/policy-analysis/operations.ts'
import { unmodelled } from '../../shared/policy-analysis/unmodelled.ts'
import { gateOf, proposals } from './brute-force.ts'
import { chanceOf } from './random.ts'
import { changedSubject, randomSubject } from './random-case.ts'

export interface CheckedDiff {
  result: PolicyDiff['result']
  /** What is wrong, for people to read; null where proof and brute force agree. */
  disagreement: string | null
}

/** Compares two random pairs of documents, and the answer with what trying finds out. */
export function checkDiffCase(seed: number, tries: number): CheckedDiff {
  const chance = chanceOf(seed)
  const outside = chance.maybe(0.2)
  const from = randomSubject(chance, { outside })
  const to = changedSubject(from, chance, { outside })
  const diff = inOneGo(diffPolicies({ from, to, mode: from.mode }))
  const groups = groupsOf(diff)
  const told = (text: string) => ({
    result: diff.result,
    disagreement: `seed ${seed}: ${text}\n  ${JSON.stringify({ from, to })}`,
  })
  const decide = { before: gateOf(from), after: gateOf(to) }
  for (const [kind, { changes, why }] of groups) {
    if (why?.includes('internal')) return told(`${kind}: ${why}`)
    const wrong = changes.find(change => kindOf(decide, change) !== kind)
    if (wrong) return told(`${kind}: ${JSON.stringify(wrong)}`)
  }
  const profiled = [from, to].every(({ catalog }) => catalog === null || unmodelled(catalog).length === 0)
  const open = [...groups.values()].find(({ result }) => result === 'inconclusive')
  if (profiled && open) return told(`inconclusive within the profile: ${open.why}`)
  for (const proposal of proposals([from, to], null, { chance, count: tries })) {
    const kind = kindOf(decide, { witness: proposal })
    const group = groups.get(kind)
    if (group?.result === 'none')
      return told(`proved none of ${kind}, but ${JSON.stringify(proposal.action)} ${proposal.risk.level}`)
    if (group && profiled && !isListed(group, proposal.action, [from, to])) {
      return told(`${kind} leaves out ${JSON.stringify(proposal.action)} ${proposal.risk.level}`)
    }
  }
  return { result: diff.result, disagreement: null }
}

type Decide = Record<'before' | 'after', ReturnType<typeof gateOf>>

function kindOf({ before, after }: Decide, { witness }: Pick<AccessChange, 'witness'>): string {
  return `${before(witness).decision}_to_${after(witness).decision}`
}

function groupsOf({ new_access, lost_access }: PolicyDiff): Map<string, AccessGroup> {
  return new Map([...Object.entries(new_access), ...Object.entries(lost_access)])
}

/** Whether the operation is among the changes, itself or by one that stands for all that nothing names. */
function isListed(
  { changes }: AccessGroup,
  action: { target_system: string; operation: string },
  subjects: readonly Subject[],
): boolean {
  const text = JSON.stringify(subjects)
  const named = (name: string): boolean => text.includes(JSON.stringify(name))
  return changes.some(change => {
    const sameSystem = change.system === action.target_system || !named(action.target_system)
    return sameSystem && (change.operation === action.operation || change.unnamed || !named(action.operation))
  })
}
