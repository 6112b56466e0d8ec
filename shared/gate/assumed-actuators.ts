import type { RegisteredActuator } from '../contract/actuator.ts'
import type { Catalog, CatalogOperation } from '../contract/catalog.ts'
import type { Policy } from '../contract/policy.ts'

/**
 * The actuators that a policy and its catalog take for granted, to decide without a tenant: one for each system, `others`
 * included, of the kind that the first entry of the system binds; a mock where there is none.
 */
export function assumedActuators(
  policy: Policy,
  catalog: Catalog | null,
  others: readonly string[] = [],
): RegisteredActuator[] {
  const bySystem = new Map<string, CatalogOperation[]>()
  for (const entry of catalog?.operations ?? []) {
    bySystem.set(entry.system, [...(bySystem.get(entry.system) ?? []), entry])
  }
  const systems = new Set([...policy.allowed_systems, ...bySystem.keys(), ...others])
  return [...systems].map(system => assumed(system, bySystem.get(system) ?? []))
}

function assumed(name: string, entries: readonly CatalogOperation[]): RegisteredActuator {
  switch (entries[0]?.actuator.kind) {
    case 'http':
      return { name, kind: 'http', settings: { base_url: 'https://assumed.invalid', operations: {} } }
    case 'mcp':
      return {
        name,
        kind: 'mcp',
        settings: { transport: { type: 'stdio', server: 'assumed' }, tools: {} },
      }
    case 'module':
      return { name, kind: 'module', settings: committedTo(entries) }
    default:
      return { name, kind: 'mock', settings: {} }
  }
}

/** A module is one tool for all its operations. */
function committedTo(entries: readonly CatalogOperation[]): { tool_schema_hash?: string } {
  const hash = entries.find(entry => entry.tool_schema_hash !== null)?.tool_schema_hash
  return hash === undefined || hash === null ? {} : { tool_schema_hash: hash }
}
