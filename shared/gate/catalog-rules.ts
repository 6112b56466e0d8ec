import type { RiskLevel } from '../contract/action/proposal-schema.ts'
import type { Check } from '../contract/action/verdict.ts'
import { kindOf } from '../contract/actuator-kind/kinds.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { Idempotency, RegisteredActuator } from '../contract/configuration/actuator-schema.ts'
import { type Catalog, type CatalogOperation, isReading } from '../contract/configuration/catalog.ts'
import { quote, shorten, type Violation } from '../json-schema/faults.ts'
import { judgeParameters } from '../json-schema/judge-parameters.ts'
import { type CheckName, failed, passed, type Subject, shared, skipped } from './check.ts'

/** The catalog rules of one operation; its checks are, in order, entry, schema, binding, commitment. */
export interface CatalogRules {
  readonly minimumRisk: RiskLevel
  readonly toolSchemaHash: string | null
  /** The entry's idempotency for an operation with effects; null if it only reads or has no entry. */
  readonly idempotency: Idempotency | null
  /** Milliseconds for which attempts without effect are retried; null if the entry sets none. */
  readonly executeWithinMs: number | null
  check(parameters: JsonObject, actuator: RegisteredActuator | undefined): readonly Check[]
}

export type CatalogLookup = (system: string, operation: string) => CatalogRules

/** Compiles a catalog; it is an immutable revision in normalized form, or null if the tenant has none. */
export function catalogRules(catalog: Catalog | null, strict: boolean): CatalogLookup {
  if (catalog === null) return strict ? () => withoutRequiredCatalog : () => withoutCatalog
  const bySystem = new Map<string, Map<string, CatalogRules>>()
  for (const entry of catalog.operations) {
    const ofSystem = bySystem.get(entry.system) ?? new Map<string, CatalogRules>()
    bySystem.set(entry.system, ofSystem.set(entry.operation, rulesOf(entry)))
  }
  return (system, operation) => bySystem.get(system)?.get(operation) ?? withoutEntry(system, operation)
}

const aboutEntry = about('catalog_entry', 'action.operation')
const aboutParameters = about('parameters_schema', 'action.parameters')
const aboutBinding = about('actuator_binding', 'action.target_system')
const aboutCommitment = about('tool_schema_commitment', 'action.operation')

const skippedRest = (message: string): readonly Check[] =>
  [aboutParameters, aboutBinding, aboutCommitment].map(subject => shared(skipped(subject, message)))
const skippedWithoutCatalog = skippedRest('no active catalog')
const skippedWithoutEntry = skippedRest('the operation is not in the catalog')

const withoutCatalog = nothingToCheck(shared(skipped(aboutEntry, 'no active catalog')), skippedWithoutCatalog)
const withoutRequiredCatalog = nothingToCheck(
  shared(failed(aboutEntry, 'catalog_required', 'strict mode requires an active catalog')),
  skippedWithoutCatalog,
)

function withoutEntry(system: string, operation: string): CatalogRules {
  const message = `operation ${quote(operation)} of system ${quote(system)} is not in the catalog`
  return nothingToCheck(failed(aboutEntry, 'operation_not_in_catalog', message), skippedWithoutEntry)
}

function nothingToCheck(entry: Check, rest: readonly Check[]): CatalogRules {
  const checks = [entry, ...rest]
  const none = { toolSchemaHash: null, idempotency: null, executeWithinMs: null }
  return { minimumRisk: 'low', ...none, check: () => checks }
}

const inCatalog = shared(passed(aboutEntry, 'the operation is in the catalog'))
const meetsSchema = shared(passed(aboutParameters, 'the parameters meet the schema of the catalog'))
const bound = shared(passed(aboutBinding, 'the actuator is the one that the catalog names'))
const notBound = shared(skipped(aboutBinding, 'no actuator is registered for the system'))
const committed = shared(passed(aboutCommitment, 'the tool schema is the one that the catalog commits to'))
const notCommitted = shared(passed(aboutCommitment, 'the catalog commits to no tool schema'))
const comparedAtCall = shared(
  passed(aboutCommitment, 'the tool is compared with what the catalog commits to when it is called'),
)
const noTool = shared(skipped(aboutCommitment, 'no actuator is registered for the system'))

const passing = [inCatalog, meetsSchema, bound, notCommitted] as const
const passingCommitted = [inCatalog, meetsSchema, bound, committed] as const

function rulesOf(entry: CatalogOperation): CatalogRules {
  return {
    minimumRisk: entry.minimum_risk,
    toolSchemaHash: entry.tool_schema_hash,
    idempotency: isReading(entry) ? null : entry.idempotency,
    executeWithinMs: entry.execute_within_ms ?? null,
    check: (parameters, actuator) => {
      const violations = judgeParameters(entry.parameter_schema, parameters)
      const binding = checkBinding(entry, actuator)
      const commitment = checkCommitment(entry, actuator)
      if (violations === null && binding === bound && commitment === notCommitted) return passing
      if (violations === null && binding === bound && commitment === committed) return passingCommitted
      return [inCatalog, ...(violations?.map(outsideSchema) ?? [meetsSchema]), binding, commitment]
    },
  }
}

/**
 * Compares the entry with the actuator registered for the target system, because that actuator executes the call.
 */
function checkBinding(
  { actuator: named }: CatalogOperation,
  actuator: RegisteredActuator | undefined,
): Check {
  if (!actuator) return notBound
  if (actuator.name === named.name && actuator.kind === named.kind) return bound
  const expected = `${named.kind} actuator ${quote(named.name)}`
  const found = `${actuator.kind} actuator ${quote(actuator.name)}`
  const message = `the catalog binds the operation to the ${shorten(expected)}, not to the ${shorten(found)}`
  return failed(aboutBinding, 'actuator_binding_mismatch', message)
}

/**
 * Fails a commitment that cannot be compared, because a mock has no tool schema and a module may be registered
 * without one. An unregistered schema of a Model Context Protocol tool is compared at the call.
 */
function checkCommitment(
  { operation, tool_schema_hash: hash }: CatalogOperation,
  actuator: RegisteredActuator | undefined,
): Check {
  if (hash === null) return notCommitted
  if (!actuator) return noTool
  const { toolSchemaHash, comparedAtCall: isCompared } = kindOf(actuator)
  const registered = toolSchemaHash(actuator.settings, operation)
  if (registered === hash) return committed
  if (isCompared && registered === undefined) return comparedAtCall
  const found = registered === undefined ? 'has none' : `has ${registered}`
  const message = `the catalog commits to tool schema ${hash}, and the actuator ${found}`
  return failed(aboutCommitment, 'tool_schema_mismatch', message)
}

/** A limit on a path in a message, since callers choose names and the check has the full path. */
const placeLengthMax = 60

function outsideSchema({ place, expected }: Violation): Check {
  const subject = place === '' ? aboutParameters : about('parameters_schema', `action.parameters.${place}`)
  const label = place === '' ? 'the parameters' : shorten(place, placeLengthMax)
  return failed(subject, 'parameters_outside_schema', `${label} ${expected}`)
}

function about(check: CheckName, path: string): Subject {
  return { check, path }
}
