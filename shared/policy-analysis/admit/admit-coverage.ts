import { riskRank } from '../../contract/action/proposal-schema.ts'
import type { Hole } from '../../contract/configuration/admission.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import { type AdmissionEntry, type AllowedOperation, listedOperations } from './admit-entries.ts'
import { hole } from './admit-hole.ts'
import type { AdmissionInput } from './admit-input.ts'

/** Returns the admission holes between allowed and reviewed operations: COV-1, COV-2, COV-4 and COV-5. */
export function coverageHoles(
  { policy }: AdmissionInput,
  entries: readonly AdmissionEntry[],
  allowed: readonly AllowedOperation[],
): Hole[] {
  const named = new Set(allowed.map(keyOf))
  return [
    ...policy.allowed_systems
      .filter(system => listedOperations(policy, system) === undefined)
      .map(system => withoutList(system)),
    ...allowed.filter(({ entry }) => entry === null).map(withoutEntry),
    ...idleThreshold(policy, allowed),
    ...entries.filter(({ entry }) => !named.has(keyOf(entry))).map(idleEntry),
    ...idleConstraints({ policy }, named),
  ]
}

function withoutList(system: string): Hole {
  const message = 'any operation of the system is allowed, for none is listed'
  return hole('COV-1', message, { system, path: ['policy', 'allowed_operations', system] })
}

function withoutEntry({ system, operation, path }: AllowedOperation): Hole {
  return hole('COV-2', 'the operation is allowed and has no catalog entry', { system, operation, path })
}

/** Counts a missing minimum risk as high, because the review may still set it to high. */
function idleThreshold(
  { approval_required_at: threshold }: Policy,
  allowed: readonly AllowedOperation[],
): Hole[] {
  const minimum = ({ entry }: AllowedOperation) => (entry ? (entry.entry.minimum_risk ?? 'high') : 'low')
  const holds = allowed.some(operation => riskRank[minimum(operation)] >= riskRank[threshold])
  if (holds || allowed.length === 0) return []
  const message = `no allowed operation has a minimum risk of ${threshold}: only what a caller calls so is held`
  return [hole('COV-4', message, { path: ['policy', 'approval_required_at'] })]
}

function idleEntry({ entry, path }: AdmissionEntry): Hole {
  const { system, operation } = entry
  return hole('COV-5', 'the operation has a catalog entry and is not allowed', { system, operation, path })
}

/** Skips systems without a list of operations, because every operation and so every constraint may count there. */
function idleConstraints({ policy }: Pick<AdmissionInput, 'policy'>, named: ReadonlySet<string>): Hole[] {
  const systems = new Set(policy.allowed_systems)
  return Object.entries(policy.parameter_constraints).flatMap(([system, ofSystem]) => {
    const anyAllowed = systems.has(system) && listedOperations(policy, system) === undefined
    return Object.keys(ofSystem)
      .filter(operation => !anyAllowed && !named.has(keyOf({ system, operation })))
      .map(operation => {
        const path = ['policy', 'parameter_constraints', system, operation]
        return hole('COV-5', 'the operation has constraints and is not allowed', { system, operation, path })
      })
  })
}

function keyOf({ system, operation }: Pick<AllowedOperation, 'system' | 'operation'>): string {
  return `${system} ${operation}`
}
