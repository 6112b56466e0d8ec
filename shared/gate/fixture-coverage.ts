import type { FixtureReport } from '../contract/fixture.ts'
import type { ReadFixture } from './read-fixture.ts'

/**
 * How many of the operations that the policies allow are proposed by some case. Fixtures of the same policy and catalog
 * are counted together; a system without a list counts with its catalog entries, for the rest has no end.
 */
export function fixtureCoverage(fixtures: readonly ReadFixture[]): FixtureReport['coverage'] {
  const allowed = new Map<string, string>()
  const proposed = new Set<string>()
  for (const fixture of fixtures) {
    const documents = `${fixture.policy.hash} ${fixture.catalog?.hash ?? ''}`
    for (const [system, operation] of operationsOf(fixture)) {
      allowed.set(`${documents} ${system} ${operation}`, `${system} ${operation}`)
    }
    for (const { proposal } of fixture.cases) {
      proposed.add(`${documents} ${proposal.action.target_system} ${proposal.action.operation}`)
    }
  }
  const missing = [...allowed].filter(([key]) => !proposed.has(key)).map(([, name]) => name)
  const operations = allowed.size
  const exercised = operations - missing.length
  const percent = operations === 0 ? null : Math.floor((100 * exercised) / operations)
  return { exercised, operations, percent, missing: [...new Set(missing)].sort() }
}

function operationsOf({ policy, catalog }: ReadFixture): [system: string, operation: string][] {
  const { allowed_systems, allowed_operations } = policy.document
  return allowed_systems.flatMap(system => {
    const reviewed = (catalog?.document.operations ?? []).filter(entry => entry.system === system)
    const listed = Object.hasOwn(allowed_operations, system) ? allowed_operations[system] : undefined
    const operations = listed ?? reviewed.map(({ operation }) => operation)
    return operations.map((operation): [string, string] => [system, operation])
  })
}
