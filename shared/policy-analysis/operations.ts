import { limits } from '../contract/base/limits.ts'
import type { Catalog, CatalogOperation } from '../contract/configuration/catalog.ts'
import type { Policy } from '../contract/configuration/policy.ts'
import type { BoundHit, GateMode } from '../contract/configuration/verification-schema.ts'

export interface Target {
  system: string
  operation: string
  /** True if this target represents every system or operation that no document names. */
  fresh: boolean
}

/** The documents to prove on, in the normalized form that the gate uses. */
export interface Subject {
  policy: Policy
  catalog: Catalog | null
  mode: GateMode
}

export class Universe {
  private readonly bySystem = new Map<string, Set<string>>()
  private readonly anywhere = new Set<string>()

  addDocuments({ policy, catalog }: Subject): void {
    for (const system of policy.allowed_systems) this.addSystem(system)
    for (const [system, operations] of Object.entries(policy.allowed_operations)) this.add(system, operations)
    for (const [system, ofSystem] of Object.entries(policy.parameter_constraints)) {
      this.add(system, Object.keys(ofSystem))
    }
    for (const { system, operation } of catalog?.operations ?? []) this.add(system, [operation])
  }

  addQuery({ system, operation }: { system?: string | undefined; operation?: string | undefined }): void {
    if (system !== undefined) this.add(system, operation === undefined ? [] : [operation])
    else if (operation !== undefined) this.anywhere.add(operation)
  }

  knows(system: string, operation?: string): boolean {
    const operations = this.bySystem.get(system)
    return operations !== undefined && (operation === undefined || operations.has(operation))
  }

  targets(): Target[] {
    const systems = [...this.bySystem.keys()].sort()
    const freshSystem = freshName('any-system', this.bySystem)
    const ofAll = [...this.anywhere]
      .sort()
      .map(operation => ({ system: freshSystem, operation, fresh: true }))
    return [
      ...systems.flatMap(system => this.targetsOf(system)),
      ...ofAll,
      { system: freshSystem, operation: freshName('any-operation', this.anywhere), fresh: true },
    ]
  }

  private targetsOf(system: string): Target[] {
    const operations = new Set([...(this.bySystem.get(system) ?? []), ...this.anywhere])
    return [
      ...[...operations].sort().map(operation => ({ system, operation, fresh: false })),
      { system, operation: freshName('any-operation', operations), fresh: true },
    ]
  }

  private addSystem(system: string): Set<string> {
    const operations = this.bySystem.get(system) ?? new Set()
    this.bySystem.set(system, operations)
    return operations
  }

  private add(system: string, operations: readonly string[]): void {
    const known = this.addSystem(system)
    for (const operation of operations) known.add(operation)
  }
}

/** Returns the targets within the bound and the first target beyond it. Only named targets count for the bound. */
export function boundedTargets(targets: readonly Target[]): { targets: Target[]; hit: BoundHit | null } {
  const limit = limits.verify_operations_max
  const named = targets.filter(({ fresh }) => !fresh)
  const first = named[limit]
  if (first === undefined) return { targets: [...targets], hit: null }
  const left = new Set(named.slice(limit))
  const hit = { bound: 'operations', limit, at: `${first.system}/${first.operation}` } as const
  return { targets: targets.filter(target => !left.has(target)), hit }
}

function freshName(name: string, known: { has(name: string): boolean }): string {
  return known.has(name) ? freshName(`${name}-`, known) : name
}

export function entriesOf(catalog: Catalog | null): (target: Target) => CatalogOperation | null {
  const entries = new Map(catalog?.operations.map(entry => [keyOf(entry), entry]))
  return target => entries.get(keyOf(target)) ?? null
}

function keyOf({ system, operation }: Pick<Target, 'system' | 'operation'>): string {
  return `${system} ${operation}`
}
