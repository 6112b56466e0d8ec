import type { Proposal } from '../contract/action/proposal-schema.ts'
import type { Decision } from '../contract/action/verdict.ts'
import { type Catalog, type CatalogOperation, isReading } from '../contract/configuration/catalog.ts'
import type { Policy } from '../contract/configuration/policy.ts'
import { exampleParameters } from './example-parameters.ts'

const candidatesMax = 500
const preference: readonly Decision[] = ['allow', 'needs_approval', 'deny']

/**
 * Returns an example proposal for the tenant's rules. It is an allowed one if the search finds any
 * (specification.md#endpoints).
 */
export function exampleProposal(
  policy: Policy,
  catalog: Catalog | null,
  decide: (proposal: Proposal) => Decision,
): Proposal {
  let best: { proposal: Proposal; rank: number } | null = null
  for (const { system, operation } of candidates(policy, catalog)) {
    const proposal = propose(policy, catalog, { system, operation })
    const rank = preference.indexOf(decide(proposal))
    if (rank === 0) return proposal
    if (!best || rank < best.rank) best = { proposal, rank }
  }
  return best?.proposal ?? propose(policy, catalog, { system: 'system', operation: 'operation' })
}

interface Target {
  system: string
  operation: string
}

/**
 * Lists the allowed operations; without any, those of the catalog; without any, an invented one. Operations that
 * only read come first, because readers run a copied example on their own system.
 */
function candidates(policy: Policy, catalog: Catalog | null): Target[] {
  const targets = policy.allowed_systems.flatMap(system => {
    const listed = Object.hasOwn(policy.allowed_operations, system)
      ? policy.allowed_operations[system]
      : undefined
    const reviewed = catalog?.operations
      .filter(entry => entry.system === system)
      .map(entry => entry.operation)
    return (listed ?? reviewed ?? ['example']).map(operation => ({ system, operation }))
  })
  const isRead = ({ system, operation }: Target): boolean => {
    const entry = entryOf(catalog, system, operation)
    return entry !== undefined && isReading(entry)
  }
  const considered = targets.slice(0, candidatesMax)
  return [...considered.filter(isRead), ...considered.filter(target => !isRead(target))]
}

function propose(policy: Policy, catalog: Catalog | null, { system, operation }: Target): Proposal {
  const entry = entryOf(catalog, system, operation)
  const ofSystem = Object.hasOwn(policy.parameter_constraints, system)
    ? policy.parameter_constraints[system]
    : {}
  const constraints = ofSystem && Object.hasOwn(ofSystem, operation) ? ofSystem[operation] : {}
  return {
    proposal_id: 'example-1',
    actor: { agent_id: 'my-agent', run_id: 'run-1' },
    summary: `Example: ${entry?.title ?? `${operation} on ${system}`}`.slice(0, 2000),
    action: {
      target_system: system,
      operation,
      parameters: exampleParameters(entry?.parameter_schema ?? null, constraints ?? {}),
      rollback_plan: 'Say here how this could be undone',
    },
    risk: { level: 'low', blast_radius: 'Say here what could be affected' },
  }
}

function entryOf(catalog: Catalog | null, system: string, operation: string): CatalogOperation | undefined {
  return catalog?.operations.find(entry => entry.system === system && entry.operation === operation)
}
