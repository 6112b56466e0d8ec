import { ServiceError } from '../../contract/base/errors.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import { type Catalog, type CatalogOperation, isReading } from '../../contract/configuration/catalog.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { ToolHealth } from '../../contract/configuration/tool-health-schema.ts'
import type { ToolOperation, ToolSummary, ToolView } from '../../contract/configuration/tool-import.ts'
import { afterNow } from '../../runtime/clock.ts'
import { actionIdsFrom } from '../../runtime/ids.ts'
import { readHealthRows } from '../../store/action/tool-health-rows.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { readFreezes, type StoredFreeze } from '../../store/tenant/freeze-rows.ts'
import { isAllowed, operationSettings, type TenantDocuments } from '../../tool-import/place-tool.ts'
import type { Context } from '../core/context.ts'
import { ownerMay } from '../core/operator-means.ts'
import { judgeTool } from '../execution/judge-registrations.ts'

/** What governs a tenant now, as far as its tools are in it. */
export interface TenantTools {
  version: number
  documents: TenantDocuments
  freezes: readonly StoredFreeze[]
}

/** Throws `tenant_not_found`. */
export async function readTenantTools(context: Context, tenantId: string): Promise<TenantTools> {
  return context.store.look([tenantId], async query => {
    const record = await readActiveDocuments(query, tenantId)
    if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    const { version, policy, catalog, actuators } = record
    return {
      version,
      documents: {
        policy: JSON.parse(policy.policy) as Policy,
        catalog: catalog && (JSON.parse(catalog.catalog) as Catalog),
        actuators,
      },
      freezes: await readFreezes(query, tenantId),
    }
  })
}

/** Every system that an actuator, an entry or the policy names. */
export async function listTools(context: Context, tenantId: string): Promise<{ tools: ToolSummary[] }> {
  const { documents } = await readTenantTools(context, tenantId)
  return { tools: systemsOf(documents).map(system => summaryOf(documents, system)) }
}

/** A tool with its operations. Throws `tool_not_found`. */
export async function readTool(
  context: Context,
  { tenant_id, system }: { tenant_id: string; system: string },
): Promise<ToolView> {
  const { version, documents } = await readTenantTools(context, tenant_id)
  requireTool(documents, system)
  const actuator = actuatorOf(documents, system) ?? null
  return {
    system,
    version,
    actuator,
    owner_may: ownerMay(actuator ?? undefined),
    operations: operationsOf(documents, system),
    warnings: actuator ? await judgeTool(context, tenant_id, actuator) : [],
  }
}

export function requireTool(documents: TenantDocuments, system: string): void {
  if (!systemsOf(documents).includes(system))
    throw new ServiceError('tool_not_found', `the tenant has no tool ${system}`)
}

export function actuatorOf({ actuators }: TenantDocuments, system: string): RegisteredActuator | undefined {
  return actuators.find(({ name }) => name === system)
}

/** The operations of a system that catalog, actuator or policy name, in the order of their names. */
export function operationsOf(documents: TenantDocuments, system: string): ToolOperation[] {
  const { policy, catalog } = documents
  const entries = new Map(
    (catalog?.operations ?? [])
      .filter(entry => entry.system === system)
      .map(entry => [entry.operation, entry]),
  )
  const listed = Object.hasOwn(policy.allowed_operations, system) ? policy.allowed_operations[system] : []
  const names = new Set([
    ...entries.keys(),
    ...(listed ?? []),
    ...registeredOperations(actuatorOf(documents, system)),
  ])
  return [...names].sort().map(operation => {
    const entry = entries.get(operation) ?? null
    return { operation, entry, ...standingOf(policy, { system, operation, entry }) }
  })
}

const risks = ['low', 'medium', 'high']

/** What a policy and a review say of an operation. */
export function standingOf(
  policy: Policy,
  { system, operation, entry }: { system: string; operation: string; entry: CatalogOperation | null },
): Pick<ToolOperation, 'allowed' | 'held' | 'safe'> {
  const least = risks.indexOf(entry?.minimum_risk ?? 'low')
  return {
    allowed: isAllowed(policy, system, operation),
    held: least >= risks.indexOf(policy.approval_required_at),
    safe: entry !== null && isReading(entry),
  }
}

function registeredOperations(actuator: RegisteredActuator | undefined): string[] {
  if (actuator?.kind === 'http') return Object.keys(actuator.settings.operations)
  return actuator?.kind === 'mcp' ? Object.keys(actuator.settings.tools) : []
}

function systemsOf({ policy, catalog, actuators }: TenantDocuments): string[] {
  const named = [
    ...actuators.map(({ name }) => name),
    ...(catalog?.operations ?? []).map(({ system }) => system),
    ...policy.allowed_systems,
  ]
  return [...new Set(named)].sort()
}

function summaryOf(documents: TenantDocuments, system: string): ToolSummary {
  const actuator = actuatorOf(documents, system)
  const operations = operationsOf(documents, system)
  const allowed = operations.filter(one => one.allowed)
  return {
    system,
    kind: actuator?.kind ?? null,
    address: actuator ? addressOf(actuator) : null,
    operations: operations.length,
    allowed: allowed.length,
    held: allowed.filter(one => one.held).length,
  }
}

function addressOf({ kind, settings }: RegisteredActuator): string | null {
  if (kind === 'http') return settings.base_url
  if (kind !== 'mcp') return null
  return settings.transport.type === 'stdio' ? settings.transport.server : settings.transport.url
}

/** Whether an actuator has settings for an operation; kinds without settings of operations perform any. */
export function isRegistered(actuator: RegisteredActuator, operation: string): boolean {
  if (actuator.kind !== 'http' && actuator.kind !== 'mcp') return true
  return operationSettings(actuator, operation) !== undefined
}

const dayMs = 86_400_000

/** What came of the calls of a system in the last day; a busy tenant is looked at as far back as the bound reaches. */
export async function readToolHealth(
  context: Context,
  { tenant_id, system }: { tenant_id: string; system: string },
): Promise<ToolHealth> {
  const { documents } = await readTenantTools(context, tenant_id)
  requireTool(documents, system)
  const until = afterNow(0)
  const from = afterNow(-dayMs)
  const wanted = { tenant_id, system, from_id: actionIdsFrom(from) }
  const { since, ...health } = await context.store.read([tenant_id], reader => readHealthRows(reader, wanted))
  return {
    system,
    since: since ?? from.toISOString(),
    until: until.toISOString(),
    cut: since !== null,
    ...health,
  }
}
