import { canonicalJson } from '../../canon/canonical-json.ts'
import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Catalog } from '../../contract/configuration/catalog.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { ChangedTool, ToolChange } from '../../contract/configuration/tool-import.ts'
import type { Query } from '../../store/postgres/open.ts'
import { replaceActuators } from '../../store/tenant/active-documents.ts'
import type { LockedTenant } from '../../store/tenant/tenant-rows.ts'
import { placeTool, removeTool, type TenantDocuments } from '../../tool-import/place-tool.ts'
import type { ConfigEntry, ConfigOutcome } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { refuseWidening } from '../core/operator-means.ts'
import { invalidBelow, type ValidDocument, validateCatalog, validatePolicy } from '../core/policy-document.ts'
import { afterClaims } from '../execution/claim-jobs.ts'
import { judgeTool } from '../execution/judge-registrations.ts'
import { catalogWarnings, reviseCatalogOf } from '../policy/catalogs.ts'
import { changeProved } from '../policy/change-proved.ts'
import { revisePolicy } from '../policy/policies.ts'
import { readTenantTools, requireTool } from './tenant-tools.ts'

export interface ToolReplacement {
  tenant_id: string
  system: string
  change: ToolChange
  author: Author
}

/**
 * Replaces everything a tenant has of a system in one transaction: actuator, catalog entries and allowed
 * operations.
 */
export async function changeTool(context: Context, replacement: ToolReplacement): Promise<ChangedTool> {
  const { tenant_id, system, change, author } = replacement
  refuseOtherSystems(system, change)
  const { actuator, operations, expected_version } = change
  const allowed = change.allowed ?? operations.map(({ operation }) => operation)
  return apply(context, {
    tenant_id,
    system,
    author,
    note: change.change_note ?? `tool ${system}`,
    expected: expected_version ?? null,
    next(documents) {
      refuseWidening(author, [actuator], documents.actuators)
      return placeTool(documents, { actuator, operations, allowed })
    },
  })
}

/** Removes a system's actuator, catalog entries and allowed operations. Throws `tool_not_found`. */
export async function dropTool(
  context: Context,
  { tenant_id, system, author }: { tenant_id: string; system: string; author: Author },
): Promise<ChangedTool> {
  return apply(context, {
    tenant_id,
    system,
    author,
    note: `tool ${system} removed`,
    expected: null,
    next(documents) {
      requireTool(documents, system)
      return removeTool(documents, system)
    },
  })
}

interface Applying {
  tenant_id: string
  system: string
  author: Author
  note: string
  expected: number | null
  next(documents: TenantDocuments): TenantDocuments
}

const staleRetries = 25

/** Judges the documents before the transaction, which then checks that they are unchanged. */
async function apply(context: Context, applying: Applying): Promise<ChangedTool> {
  const { tenant_id, expected } = applying
  for (let tries = 0; tries < staleRetries; tries += 1) {
    const { version, documents } = await readTenantTools(context, tenant_id)
    if (expected !== null && expected !== version)
      throw new ServiceError('revision_mismatch', `the tenant is at version ${version}, not ${expected}`)
    const next = await validate(context, applying.next(documents))
    try {
      return await store(context, applying, { version, documents, next })
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
    }
  }
  throw new ServiceError('concurrent_change', 'the tenant kept changing meanwhile; send it again')
}

/** An error that rolls the transaction back because the tenant has changed since its documents were read. */
class ChangedMeanwhile extends Error {}

interface ValidTools {
  policy: ValidDocument<Policy>
  catalog: ValidDocument<Catalog> | null
  actuators: RegisteredActuator[]
}

async function validate(context: Context, next: TenantDocuments): Promise<ValidTools> {
  return {
    policy: await validatePolicy(context, next.policy, 'policy'),
    catalog: next.catalog && (await validateCatalog(context, next.catalog, 'catalog')),
    actuators: [...next.actuators].sort((left, right) => (left.name < right.name ? -1 : 1)),
  }
}

interface Storing {
  version: number
  documents: TenantDocuments
  next: ValidTools
}

async function store(
  context: Context,
  applying: Applying,
  { version, documents, next }: Storing,
): Promise<ChangedTool> {
  const { tenant_id, system, author } = applying
  const { policy, catalog, actuators } = next
  const drafts = { policy, ...(catalog ? { catalog } : {}) }
  const { answer, regressions } = await changeProved(
    context,
    { tenant_id, author, drafts },
    async (query, tenant) => {
      if (tenant.rules_version !== version) throw new ChangedMeanwhile()
      const revised = await reviseDocuments(context, query, tenant, { applying, next })
      const isRegistered = same(documents.actuators, actuators)
      if (!isRegistered) await replaceActuators(query, tenant_id, actuators)
      await context.reach('tool_written')
      const payload = { actuators: actuators as unknown as JsonValue }
      const registered: ConfigEntry[] = isRegistered ? [] : [{ kind: 'actuators_revision', payload }]
      return recordedTogether([...revised.entries, ...registered], version, revised)
    },
  )
  await context.reach('tool_committed')
  await afterClaims(context, tenant_id, answer)
  const registered = actuators.find(({ name }) => name === system)
  const warnings = [
    ...policy.warnings,
    ...(catalog ? [...catalog.warnings, ...catalogWarnings(catalog.document, 'catalog')] : []),
    ...(registered ? await judgeTool(context, tenant_id, registered) : []),
  ]
  return { system, ...answer, warnings, regressions }
}

interface RevisedDocuments {
  entries: ConfigEntry[]
  policy_revision: number
  catalog_revision: number | null
  made: { policy_revision?: number; catalog_revision?: number }
}

/** Revises the catalog first, because a policy revision names the catalog in force. */
async function reviseDocuments(
  context: Context,
  query: Query,
  tenant: LockedTenant,
  { applying: { author, note }, next: { policy, catalog } }: { applying: Applying; next: ValidTools },
): Promise<RevisedDocuments> {
  const listed = catalog && (await reviseCatalogOf(context, query, tenant, { valid: catalog, author, note }))
  const catalog_revision = listed?.catalog_revision ?? tenant.catalog_revision
  const beside = { ...tenant, catalog_revision }
  const revised = await revisePolicy(context, query, beside, { valid: policy, author, note })
  return {
    entries: [listed?.entry, revised.entry].filter(entry => entry !== undefined),
    policy_revision: revised.policy_revision ?? tenant.policy_revision,
    catalog_revision,
    made: {
      ...(listed?.catalog_revision === undefined ? {} : { catalog_revision: listed.catalog_revision }),
      ...(revised.policy_revision === undefined ? {} : { policy_revision: revised.policy_revision }),
    },
  }
}

function recordedTogether(
  entries: readonly ConfigEntry[],
  version: number,
  { policy_revision, catalog_revision, made }: RevisedDocuments,
): ConfigOutcome<Pick<ChangedTool, 'version' | 'policy_revision' | 'catalog_revision'>> {
  const entry = entries.at(-1)
  if (!entry) return { answer: { version, policy_revision, catalog_revision } }
  const answer = { version: version + 1, policy_revision, catalog_revision }
  return { answer, entry, earlier: entries.slice(0, -1), governs: true, ...made }
}

function same(left: readonly RegisteredActuator[], right: readonly RegisteredActuator[]): boolean {
  const text = (list: readonly RegisteredActuator[]) =>
    canonicalJson([...list].sort((one, other) => (one.name < other.name ? -1 : 1)) as unknown as JsonValue)
  return text(left) === text(right)
}

function refuseOtherSystems(system: string, { actuator, operations, allowed }: ToolChange): void {
  const code = 'other_system'
  const issues: Issue[] = [
    ...(actuator.name === system ? [] : [{ path: 'actuator.name', code, message: `must be ${system}` }]),
    ...operations.flatMap((entry, at) =>
      entry.system === system
        ? []
        : [{ path: `operations[${at}].system`, code, message: `must be ${system}` }],
    ),
    ...unknownNames(
      operations.map(({ operation }) => operation),
      allowed ?? [],
    ),
  ]
  if (issues.length > 0) throw invalidBelow('the tool is not valid', issues, '')
}

function unknownNames(known: readonly string[], allowed: readonly string[]): Issue[] {
  const names = new Set(known)
  return allowed.flatMap((name, at) =>
    names.has(name)
      ? []
      : [{ path: `allowed[${at}]`, code: 'unknown_operation', message: 'is none of the operations' }],
  )
}
