import type { ListedAccess, OperationAccess } from '../../contract/access/access-schema.ts'
import { kindOf } from '../../contract/actuator-kind/kinds.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { ToolHealth } from '../../contract/configuration/tool-health-schema.ts'
import type { ToolSummary, ToolView } from '../../contract/configuration/tool-import.ts'
import { type AccessRules, type AccessTarget, anyOther, namedTargets } from '../../gate/operation-access.ts'
import { afterNow } from '../../runtime/clock.ts'
import { actionIdsFrom } from '../../runtime/ids.ts'
import { readHealthRows } from '../../store/action/tool-health-rows.ts'
import { type ActiveDocumentsRow, readActiveDocuments } from '../../store/tenant/active-documents.ts'
import type { TenantDocuments } from '../../tool-import/place-tool.ts'
import { compileRules, documentsOf } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import { ownerMay } from '../core/operator-means.ts'
import { judgeTool } from '../execution/judge-registrations.ts'
import { accessRules, listAccess, readAccess } from '../policy/read-access.ts'
import { isSafe } from './tool-proposal.ts'

export interface TenantTools {
  version: number
  documents: TenantDocuments
  record: ActiveDocumentsRow
}

/** Throws `tenant_not_found`. */
export async function readTenantTools(context: Context, tenantId: string): Promise<TenantTools> {
  const record = await readRecord(context, tenantId)
  return { version: record.version, documents: documentsOf(record), record }
}

/** Returns the stored record unparsed, because large documents are parsed in a thread. */
export async function readRecord(context: Context, tenantId: string): Promise<ActiveDocumentsRow> {
  return context.store.look([tenantId], async query => {
    const record = await readActiveDocuments(query, tenantId)
    if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    return record
  })
}

export async function listTools(context: Context, tenantId: string): Promise<{ tools: ToolSummary[] }> {
  const tools = await readTenantTools(context, tenantId)
  const { documents } = tools
  const bySystem = new Map(systemsOf(documents).map(system => [system, [] as ListedAccess[]]))
  for (const access of await listAccess(context, rulesOf(context, tools), namedTargets(documents)))
    bySystem.get(access.system)?.push(access)
  return { tools: [...bySystem].map(([system, access]) => summaryOf(documents, system, access)) }
}

/** Returns a tool with its operations. Throws `tool_not_found`. */
export async function readTool(
  context: Context,
  { tenant_id, system }: { tenant_id: string; system: string },
): Promise<ToolView> {
  const tools = await readTenantTools(context, tenant_id)
  const { version, documents } = tools
  requireTool(documents, system)
  const actuator = actuatorOf(documents, system) ?? null
  const targets = operationsOf(documents, system)
  const access = await readAccess(context, rulesOf(context, tools), targets)
  return {
    system,
    version,
    actuator,
    owner_may: ownerMay(actuator ?? undefined),
    operations: targets.map(({ operation, entry }, at) => ({
      operation,
      entry,
      access: access[at] as OperationAccess,
      safe: isSafe(entry),
    })),
    warnings: actuator ? await judgeTool(context, tenant_id, actuator) : [],
  }
}

function rulesOf({ config }: Context, { documents, record }: TenantTools): AccessRules {
  return accessRules(documents, compileRules(record, config.strict), record, null)
}

export function requireTool(documents: TenantDocuments, system: string): void {
  if (!systemsOf(documents).includes(system))
    throw new ServiceError('tool_not_found', `the tenant has no tool ${system}`)
}

export function actuatorOf({ actuators }: TenantDocuments, system: string): RegisteredActuator | undefined {
  return actuators.find(({ name }) => name === system)
}

function operationsOf(documents: TenantDocuments, system: string): AccessTarget[] {
  const named = namedTargets(documents)
  return named.filter(target => target.system === system && target.operation !== anyOther)
}

function systemsOf({ policy, catalog, actuators }: TenantDocuments): string[] {
  const named = [
    ...actuators.map(({ name }) => name),
    ...(catalog?.operations ?? []).map(({ system }) => system),
    ...policy.allowed_systems,
  ]
  return [...new Set(named)].sort()
}

function summaryOf(documents: TenantDocuments, system: string, access: readonly ListedAccess[]): ToolSummary {
  const actuator = actuatorOf(documents, system)
  const operations = { allowed: 0, held: 0, denied: 0, open: 0 }
  for (const { operation, answer } of access) if (operation !== null) operations[answer] += 1
  return {
    system,
    kind: actuator?.kind ?? null,
    address: actuator ? kindOf(actuator).address(actuator.settings) : null,
    operations,
    access: access.map(({ system: _, ...listed }) => listed),
  }
}

const dayMs = 86_400_000

/** Counts the outcomes of a system's calls in the last day; the query's bound may shorten that for a busy tenant. */
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
