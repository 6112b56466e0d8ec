import type { OperationAccess } from '../../contract/access/access-schema.ts'
import { type CatalogOperation, isReading } from '../../contract/configuration/catalog.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { ToolProposal } from '../../contract/configuration/tool-import.ts'
import { compilePolicies } from '../../gate/compiled-policy.ts'
import type { AccessRules } from '../../gate/operation-access.ts'
import { type ToolWeight, toolWeights, weightWarnings } from '../../mcp/tool-book.ts'
import type { ImportResult } from '../../tool-import/import-source.ts'
import { type PlacedTool, placeTool, type TenantDocuments } from '../../tool-import/place-tool.ts'
import { type ActiveDocuments, routesOf } from '../core/compile-rules.ts'
import { wideningIssues } from '../core/operator-means.ts'
import { type Means, toolWarnings } from '../execution/registration-warnings.ts'
import { type Answering, readAccess } from '../policy/read-access.ts'

export interface ProposalAround {
  record: Omit<ActiveDocuments, 'grants'>
  author: Author
  strict: boolean
  body_limit: number
  means: Means
}

export async function proposalOf(
  context: Answering,
  around: ProposalAround,
  { read, documents, digest }: { read: ImportResult; documents: TenantDocuments; digest: string },
): Promise<ToolProposal> {
  const { system, title, tool, refused: without, credentials } = read
  const entries = new Map(tool.operations.map(entry => [entry.operation, entry]))
  const targets = tool.proposed.map(({ operation }) => ({
    system,
    operation,
    entry: entries.get(operation) ?? null,
  }))
  const access = await readAccess(context, rulesOnceApplied(around, documents, tool), targets)
  const weights = toolWeights(targets, access)
  const allowed = new Set(tool.allowed)
  const isAllowed = (_: ToolWeight, at: number) => allowed.has(targets[at]?.operation ?? '')
  return {
    system,
    title,
    source_digest: digest,
    version: around.record.version,
    actuator: tool.actuator,
    operations: tool.proposed.map(({ operation, source, changes, left_out }, at) => {
      const entry = entries.get(operation) ?? null
      const answer = { access: access[at] as OperationAccess, weight: weights[at] as ToolWeight }
      const may = { allowed: allowed.has(operation), safe: isSafe(entry) }
      return { operation, entry, ...answer, ...may, source, changes, left_out }
    }),
    refused: without,
    gone: tool.gone,
    denied: tool.denied,
    credentials,
    warnings: [
      ...wideningIssues(around.author, tool.actuator, documents.actuators),
      ...tool.warnings,
      ...weightWarnings(weights.filter(isAllowed)),
      ...toolWarnings(tool.actuator, around.means),
    ],
  }
}

/**
 * Returns the rules with the tool applied and all operations allowed; grants are left out, since they were proved
 * for other documents.
 */
function rulesOnceApplied(
  { record, strict }: ProposalAround,
  documents: TenantDocuments,
  { actuator, operations }: PlacedTool,
): AccessRules {
  const allowed = operations.map(({ operation }) => operation)
  const { policy, catalog, actuators } = placeTool(documents, { actuator, operations, allowed })
  const next = { policyRevision: record.policy.revision + 1, policyHash: '' }
  const compiled = compilePolicies({
    ...next,
    policy,
    catalog: catalog && { catalog, revision: (record.catalog?.revision ?? 0) + 1, hash: '' },
    actuators,
    strict,
    routes: routesOf(record),
  })
  const { freezes, pauses } = record
  return { policy, catalog, compiled, freezes, pauses, grants: [], key_id: null }
}

/** True if a test call needs no confirmation, because it only reads. */
export function isSafe(entry: CatalogOperation | null): boolean {
  return entry !== null && isReading(entry)
}
