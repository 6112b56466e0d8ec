import type { Issue } from '../../contract/base/errors.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { AdmissionCatalog } from '../../contract/configuration/admission.ts'
import type { CatalogOperation } from '../../contract/configuration/catalog.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import { readSchema } from '../../gate/closed-schema.ts'
import { createPatternReader } from '../../json-schema/linear-pattern.ts'
import type { AdmissionInput } from './admit-input.ts'

export interface AdmissionEntry {
  entry: AdmissionCatalog['operations'][number]
  path: readonly [name: 'catalog', list: 'operations', index: number]
  faults: readonly Issue[]
  /** The entry if its schema is sound and its review is complete, otherwise null. */
  sound: CatalogOperation | null
}

/** An operation that the policy lists, or that the catalog has for an allowed system without a list. */
export interface AllowedOperation {
  system: string
  operation: string
  /** The position in the policy's list. For a system without a list, it is the position in the catalog. */
  path: readonly PropertyKey[]
  entry: AdmissionEntry | null
}

/** Reads the entries of a catalog. It yields after each entry, because a schema may be very long. */
export function* readEntries(catalog: AdmissionCatalog | null): Slices<AdmissionEntry[]> {
  const patterns = createPatternReader()
  const entries: AdmissionEntry[] = []
  for (const [index, entry] of (catalog?.operations ?? []).entries()) {
    const path = ['catalog', 'operations', index] as const
    const faults = readSchema(entry.parameter_schema, [...path, 'parameter_schema'], patterns).errors
    entries.push({ entry, path, faults, sound: faults.length === 0 ? complete(entry) : null })
    yield
  }
  return entries
}

export function allowedOperations(
  { policy }: Pick<AdmissionInput, 'policy'>,
  entries: readonly AdmissionEntry[],
): AllowedOperation[] {
  const bySystem = new Map<string, Map<string, AdmissionEntry>>()
  for (const one of entries) {
    const { system, operation } = one.entry
    bySystem.set(system, (bySystem.get(system) ?? new Map()).set(operation, one))
  }
  return policy.allowed_systems.flatMap((system): AllowedOperation[] => {
    const reviewed = bySystem.get(system) ?? new Map<string, AdmissionEntry>()
    const listed = listedOperations(policy, system)
    if (listed === undefined) {
      return [...reviewed].map(([operation, entry]) => ({ system, operation, path: entry.path, entry }))
    }
    return listed.map((operation, index) => ({
      system,
      operation,
      path: ['policy', 'allowed_operations', system, index],
      entry: reviewed.get(operation) ?? null,
    }))
  })
}

export function listedOperations(policy: Policy, system: string): readonly string[] | undefined {
  return Object.hasOwn(policy.allowed_operations, system) ? policy.allowed_operations[system] : undefined
}

export function constraintsFor(
  policy: Policy,
  { system, operation }: Pick<AllowedOperation, 'system' | 'operation'>,
): Policy['parameter_constraints'][string][string] {
  const ofSystem = Object.hasOwn(policy.parameter_constraints, system)
    ? policy.parameter_constraints[system]
    : undefined
  return (ofSystem && Object.hasOwn(ofSystem, operation) ? ofSystem[operation] : undefined) ?? {}
}

function complete(entry: AdmissionEntry['entry']): CatalogOperation | null {
  const { minimum_risk, effects, reversibility } = entry
  if (minimum_risk === undefined || effects === undefined || reversibility === undefined) return null
  return { ...entry, minimum_risk, effects, reversibility }
}
