import { registeredOperation } from '../contract/actuator-kind/kinds.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import type { Catalog, CatalogOperation } from '../contract/configuration/catalog.ts'
import type { Policy } from '../contract/configuration/policy.ts'

export interface TenantDocuments {
  policy: Policy
  /** Null if the tenant has no catalog, so that the policy alone decides. */
  catalog: Catalog | null
  actuators: readonly RegisteredActuator[]
}

export interface PlacedTool {
  actuator: RegisteredActuator
  operations: readonly CatalogOperation[]
  allowed: readonly string[]
}

/** Replaces everything about one system in a tenant's documents. All other systems stay unchanged. */
export function placeTool(documents: TenantDocuments, tool: PlacedTool): TenantDocuments {
  const { name: system } = tool.actuator
  const without = removeTool(documents, system)
  const { policy, catalog, actuators } = without
  return {
    policy: {
      ...policy,
      allowed_systems: [...policy.allowed_systems, system],
      allowed_operations: { ...policy.allowed_operations, [system]: [...tool.allowed] },
      parameter_constraints: keptConstraints(documents.policy, system, tool.allowed),
    },
    catalog: { operations: [...(catalog?.operations ?? []), ...tool.operations] },
    actuators: [...actuators, tool.actuator],
  }
}

export function removeTool({ policy, catalog, actuators }: TenantDocuments, system: string): TenantDocuments {
  const { [system]: _operations, ...allowed_operations } = policy.allowed_operations
  const { [system]: _constraints, ...parameter_constraints } = policy.parameter_constraints
  return {
    policy: {
      ...policy,
      allowed_systems: policy.allowed_systems.filter(name => name !== system),
      allowed_operations,
      parameter_constraints,
    },
    catalog: catalog && { operations: catalog.operations.filter(entry => entry.system !== system) },
    actuators: actuators.filter(({ name }) => name !== system),
  }
}

/** Keeps the constraints of operations that remain allowed, because a reviewer wrote these constraints. */
function keptConstraints(
  { parameter_constraints }: Policy,
  system: string,
  allowed: readonly string[],
): Policy['parameter_constraints'] {
  const { [system]: known, ...others } = parameter_constraints
  const kept = Object.entries(known ?? {}).filter(([operation]) => allowed.includes(operation))
  return kept.length === 0 ? others : { ...others, [system]: Object.fromEntries(kept) }
}

/** Returns true if the policy allows the operation. A system without a list allows every operation. */
export function isAllowed(
  { allowed_systems, allowed_operations }: Policy,
  system: string,
  operation: string,
): boolean {
  const listed = Object.hasOwn(allowed_operations, system) ? allowed_operations[system] : undefined
  return allowed_systems.includes(system) && (listed?.includes(operation) ?? true)
}

export function operationSettings(
  actuator: RegisteredActuator | undefined,
  operation: string,
): JsonObject | undefined {
  return actuator && (registeredOperation(actuator, operation) as JsonObject | undefined)
}
