import { riskLevels, riskRank } from '../../contract/action/proposal-schema.ts'
import { type Issue, pathText } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { OutcomeQuery, VerificationRequest } from '../../contract/configuration/verification-schema.ts'
import { conditionAt, type Demand, demandTree } from '../demand.ts'
import { wherePredicate } from '../predicate.ts'
import { createSearch } from '../search/find.ts'
import { findParameters } from '../search/find-parameters.ts'
import { StepBudget } from '../step-budget.ts'

type Path = readonly (string | number)[]

/**
 * Returns all problems of outcomes that have a valid shape: duplicate names, and descriptions that no
 * proposal can fit under any policy (`contradiction`).
 */
export function* outcomeProblems({
  forbidden = [],
  required = [],
}: Pick<VerificationRequest, 'forbidden' | 'required'>): Slices<Issue[]> {
  const placed = [
    ...forbidden.map((query, index) => ({ query, path: ['forbidden', index] })),
    ...required.map((query, index) => ({ query, path: ['required', index] })),
  ]
  const issues: Issue[] = []
  const names = new Set<string>()
  for (const { query, path } of placed) {
    if (names.has(query.name)) issues.push(issue([...path, 'name'], 'duplicate_name', 'is used before'))
    names.add(query.name)
    issues.push(...riskProblems(query, path), ...catalogProblems(query, path))
    issues.push(...(yield* whereProblems(query, path)))
  }
  return issues
}

function riskProblems({ claimed_risk, effective_risk }: OutcomeQuery, path: Path): Issue[] {
  const { min = 'low', max = 'high' } = effective_risk ?? {}
  if (claimed_risk?.length === 0) return [contradiction([...path, 'claimed_risk'], 'admits no claim')]
  if (riskRank[min] > riskRank[max]) return [contradiction([...path, 'effective_risk'], 'min is above max')]
  const claims = claimed_risk ?? riskLevels
  if (claims.some(claim => riskRank[claim] <= riskRank[max])) return []
  const message = 'max is below every claim: the effective risk is never below the claim'
  return [contradiction([...path, 'effective_risk'], message)]
}

function catalogProblems({ catalogued, effects_any, reversibility }: OutcomeQuery, path: Path): Issue[] {
  const beside = {
    effects_any,
    reversibility: reversibility === undefined ? undefined : [reversibility].flat(),
  }
  return Object.entries(beside).flatMap(([name, asked]) => {
    if (asked === undefined) return []
    if (asked.length === 0) return [contradiction([...path, name], 'admits nothing')]
    if (catalogued !== false) return []
    return [contradiction([...path, name], 'only a catalogued operation has it, and catalogued is false')]
  })
}

function* whereProblems({ where = {} }: OutcomeQuery, path: Path): Slices<Issue[]> {
  const conditions = Object.entries(where).map(([at, asked]) => conditionAt(at, wherePredicate(asked)))
  const issues: Issue[] = []
  for (const condition of conditions) {
    if (yield* isPossible(demandTree([condition]))) continue
    const at = condition.at.join('.')
    issues.push(contradiction([...path, 'where', at], 'no value is like this, nor is a missing one'))
  }
  if (issues.length > 0 || (yield* isPossible(demandTree(conditions)))) return issues
  return [contradiction([...path, 'where'], 'no parameters meet all of it together')]
}

function* isPossible(demands: ReadonlyMap<string, Demand>): Slices<boolean> {
  const search = createSearch(new StepBudget(limits.verify_steps_max), limits.verify_constants_max)
  const { parameters, doubt } = yield* findParameters({ demands, meets: [], breaks: [] }, search)
  return parameters !== null || doubt !== null
}

function contradiction(path: Path, message: string): Issue {
  return issue(path, 'contradiction', message)
}

function issue(path: Path, code: string, message: string): Issue {
  return { path: pathText(path), code, message }
}
