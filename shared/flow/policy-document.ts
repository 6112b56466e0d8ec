import { canonicalJson } from '../canon/canonical-json.ts'
import { type Catalog, catalogChangeSchema } from '../contract/catalog.ts'
import { type Issue, ServiceError } from '../contract/errors.ts'
import { issuesOf } from '../contract/issues.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Policy } from '../contract/policy.ts'
import { policyChangeSchema } from '../contract/tenant.ts'
import { readCatalog } from '../gate/read-catalog.ts'
import { readPolicy } from '../gate/read-policy.ts'

/** A document that passed every rule: its normalized form, canonical text and hash, and what is odd about it. */
export interface ValidDocument<Document> {
  document: Document
  text: string
  hash: string
  warnings: Issue[]
}

/** Validate and normalize a policy; every problem at once, each with its path below `prefix` (contract section 5). */
export function validatePolicy(document: unknown, prefix = ''): ValidDocument<Policy> {
  const read = readPolicy(document)
  if (!read.ok) throw invalidBelow('the policy is not valid', read.issues, prefix)
  return { document: read.policy, text: textOf(read.policy), hash: read.hash, warnings: read.warnings }
}

/** Validate and normalize a catalog (contract section 8). */
export function validateCatalog(document: unknown, prefix = ''): ValidDocument<Catalog> {
  const read = readCatalog(document)
  if (!read.ok) throw invalidBelow('the catalog is not valid', read.issues, prefix)
  return { document: read.catalog, text: textOf(read.catalog), hash: read.hash, warnings: read.warnings }
}

/** Documents as they were sent; the current ones are used where none is. */
export interface DraftDocuments {
  policy?: JsonObject | undefined
  catalog?: JsonObject | undefined
}

/** Validate the drafts of a request, each below its own name. */
export function readDrafts({ policy, catalog }: DraftDocuments): {
  policy?: ValidDocument<Policy>
  catalog?: ValidDocument<Catalog>
} {
  return {
    ...(policy ? { policy: validatePolicy(policy, 'policy') } : {}),
    ...(catalog ? { catalog: validateCatalog(catalog, 'catalog') } : {}),
  }
}

/** A change as it was sent: wrapped under `name` with a note, or bare (specification section 4). */
export interface Unwrapped {
  document: unknown
  /** Path of the document in the body. */
  prefix: string
  note: string | null
}

const wrappers = { policy: policyChangeSchema, catalog: catalogChangeSchema }

export function unwrap(body: Record<string, unknown>, name: keyof typeof wrappers): Unwrapped {
  if (!Object.hasOwn(body, name)) return { document: body, prefix: '', note: null }
  const wrapped = wrappers[name].safeParse(body)
  if (!wrapped.success) throw invalidBelow('the body is not valid', issuesOf(wrapped.error), '')
  return {
    document: body[name],
    prefix: name,
    note: typeof body.change_note === 'string' ? body.change_note : null,
  }
}

function textOf(document: Policy | Catalog): string {
  return canonicalJson(document as unknown as JsonValue)
}

/** Problems of a document that stands below `prefix` in the body. */
export function invalidBelow(message: string, issues: readonly Issue[], prefix: string): ServiceError {
  const located = issues.map(issue => ({
    ...issue,
    path: [prefix, issue.path].filter(part => part !== '').join('.'),
  }))
  return new ServiceError('validation_failed', message, located)
}
