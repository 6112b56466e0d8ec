import { canonicalJson } from '../../canon/canonical-json.ts'
import { type Issue, issuesOf, ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import { inOneGo, type Slices } from '../../contract/base/slices.ts'
import { type Catalog, catalogChangeSchema } from '../../contract/configuration/catalog.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import { policyChangeSchema } from '../../contract/configuration/tenant.ts'
import { readCatalogInSlices, readPolicyInSlices } from '../../gate/read-documents.ts'
import type { InSlices } from './in-slices.ts'

export interface ValidDocument<Document> {
  document: Document
  text: string
  hash: string
  warnings: Issue[]
}

export interface Reading {
  prove: InSlices
}

/** Characters up to which a document is read at once, since reading it delays others only briefly. */
const atOnceLengthMax = 8_192

/** Reads a large document in slices, so that other work proceeds in between. */
export async function readLarge<Read>(
  work: Slices<Read>,
  document: unknown,
  { prove }: Reading,
): Promise<Read> {
  return JSON.stringify(document ?? null).length > atOnceLengthMax ? prove(work) : inOneGo(work)
}

/**
 * Validates and normalizes a policy; reports every problem at once, each with its path below `prefix`
 * (specification.md#policies).
 */
export async function validatePolicy(
  reading: Reading,
  document: unknown,
  prefix = '',
): Promise<ValidDocument<Policy>> {
  const read = await readLarge(readPolicyInSlices(document), document, reading)
  if (!read.ok) throw invalidBelow('the policy is not valid', read.issues, prefix)
  return { document: read.policy, text: textOf(read.policy), hash: read.hash, warnings: read.warnings }
}

/** Validates and normalizes a catalog (specification.md#catalogs). */
export async function validateCatalog(
  reading: Reading,
  document: unknown,
  prefix = '',
): Promise<ValidDocument<Catalog>> {
  const read = await readLarge(readCatalogInSlices(document), document, reading)
  if (!read.ok) throw invalidBelow('the catalog is not valid', read.issues, prefix)
  return { document: read.catalog, text: textOf(read.catalog), hash: read.hash, warnings: read.warnings }
}

export interface DraftDocuments {
  policy?: JsonObject | undefined
  catalog?: JsonObject | undefined
}

export async function readDrafts(
  reading: Reading,
  { policy, catalog }: DraftDocuments,
): Promise<{ policy?: ValidDocument<Policy>; catalog?: ValidDocument<Catalog> }> {
  return {
    ...(policy ? { policy: await validatePolicy(reading, policy, 'policy') } : {}),
    ...(catalog ? { catalog: await validateCatalog(reading, catalog, 'catalog') } : {}),
  }
}

/** A change as sent: wrapped under `name` with a note, or bare (specification.md#endpoints). */
export interface Unwrapped {
  document: unknown
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

/** Returns the error for a document at `prefix` in the body. */
export function invalidBelow(message: string, issues: readonly Issue[], prefix: string): ServiceError {
  const located = issues.map(issue => ({
    ...issue,
    path: [prefix, issue.path].filter(part => part !== '').join('.'),
  }))
  return new ServiceError('validation_failed', message, located)
}
