import { readdirSync, readFileSync } from 'node:fs'
import {
  type Proposal,
  proposalSchema,
  type RiskLevel,
} from '../../../shared/contract/action/proposal-schema.ts'
import type { Decision } from '../../../shared/contract/action/verdict.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import { type CompiledPolicy, compilePolicies } from '../../../shared/gate/compiled-policy.ts'
import { readCatalog, readPolicy } from '../../../shared/gate/read-documents.ts'

/** One file of test/cases/gate. `base` and every `proposal` are patches over a complete, low-risk proposal. */
export interface GateCases {
  name: string
  policy: JsonObject
  /** Registered actuators, a name standing for a mock; the allowed systems where none are given. */
  actuators?: (string | RegisteredActuator)[]
  /** Patches over a complete entry for operation `op` of system `s`; no catalog where none are given. */
  catalog?: Partial<CatalogOperation>[]
  strict?: boolean
  base?: ProposalPatch
  cases: {
    name: string
    proposal: ProposalPatch
    expect: {
      decision: Decision
      codes: string[]
      review_route?: string | null
      /** Level and what raised it. */
      risk?: [RiskLevel, 'catalog' | null]
    }
  }[]
}

export interface ProposalPatch {
  action?: Partial<Proposal['action']>
  risk?: { level: RiskLevel }
}

const folder = new URL('../../cases/gate/', import.meta.url)

export function gateCaseFiles(): GateCases[] {
  return readdirSync(folder).map(file => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as GateCases)
}

/** A proposal that the schema admits: a case that could never reach the gate is an error in the case. */
export function proposalOf(...patches: (ProposalPatch | undefined)[]): Proposal {
  return proposalSchema.parse({
    proposal_id: 'p-1',
    actor: { agent_id: 'agent' },
    summary: 'a case',
    action: Object.assign(
      { target_system: 's', operation: 'op', parameters: {} },
      ...patches.map(patch => patch?.action ?? {}),
    ),
    risk: patches.findLast(patch => patch?.risk)?.risk ?? { level: 'low' },
  })
}

export function compiledPolicyOf(policy: unknown, options: CompileOptions = {}): CompiledPolicy {
  const read = readPolicy(policy)
  if (!read.ok) throw new Error(`the policy of the case is refused: ${JSON.stringify(read.issues)}`)
  return compilePolicies({
    policy: deepFreeze(read.policy),
    policyRevision: 1,
    policyHash: read.hash,
    catalog: options.catalog ? catalogInForce(options.catalog) : null,
    actuators: (options.actuators ?? read.policy.allowed_systems).map(registered),
    strict: options.strict ?? false,
  })
}

export interface CompileOptions {
  actuators?: readonly (string | RegisteredActuator)[] | undefined
  catalog?: readonly Partial<CatalogOperation>[] | undefined
  strict?: boolean | undefined
}

function catalogInForce(entries: readonly Partial<CatalogOperation>[]) {
  const read = readCatalog({ operations: entries.map(catalogEntry) })
  if (!read.ok) throw new Error(`the catalog of the case is refused: ${JSON.stringify(read.issues)}`)
  return { catalog: deepFreeze(read.catalog), revision: 2, hash: read.hash }
}

/** An entry that admits any proposal without parameters, bound to the mock actuator of its system. */
export function catalogEntry(patch: Partial<CatalogOperation>): CatalogOperation {
  return {
    system: 's',
    operation: 'op',
    title: 'An operation',
    parameter_schema: { type: 'object', additionalProperties: false },
    minimum_risk: 'low',
    effects: ['changes a record'],
    reversibility: 'reversible',
    actuator: { name: patch.system ?? 's', kind: 'mock' },
    idempotency: 'none',
    tool_schema_hash: null,
    ...patch,
  }
}

/** Makes any change of a value an error. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

function registered(actuator: string | RegisteredActuator): RegisteredActuator {
  return typeof actuator === 'string' ? { name: actuator, kind: 'mock', settings: {} } : actuator
}
