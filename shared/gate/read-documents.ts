import { isPlainObject } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import { readShape } from '../contract/base/read-shape.ts'
import { inOneGo, type Slices } from '../contract/base/slices.ts'
import { catalogSchema } from '../contract/configuration/catalog.ts'
import { policySchema } from '../contract/configuration/policy.ts'
import { catalogProblems } from './catalog-problems.ts'
import { constraintProblems } from './constraint-problems.ts'
import { findDocumentProblems } from './document-problems.ts'
import { type NormalizedCatalog, normalizeCatalog } from './normalize-catalog.ts'
import { type NormalizedPolicy, normalizeSafe } from './normalize-policy.ts'

/**
 * Reads a policy as someone wrote it: shape, then meaning, then normalized form (specification.md#policies). Every problem is
 * reported at once, also contradictions in the well-formed part of a document whose shape is wrong elsewhere.
 */
export function readPolicy(value: unknown): NormalizedPolicy {
  return inOneGo(readPolicyInSlices(value))
}

/** The same in slices; reading stops where there is more wrong than an answer tells. */
export function* readPolicyInSlices(value: unknown): Slices<NormalizedPolicy> {
  const unsafe = yield* findDocumentProblems(value)
  if (unsafe.length > 0) return { ok: false, issues: unsafe }
  const shape = yield* readShape(policySchema, value)
  yield
  if (shape.ok) return yield* normalizeSafe(shape.value)
  if (shape.issues.length > limits.problems_max) return shape
  const constraints = isPlainObject(value) ? value.parameter_constraints : undefined
  const { errors } = yield* constraintProblems(constraints)
  return { ok: false, issues: [...shape.issues, ...errors] }
}

/** As deep as the strict reader reads. */
const catalogDepthMax = 64

/**
 * Reads a catalog as someone wrote it: shape, then meaning, then normalized form (specification.md#catalogs). Every problem is
 * reported at once, also those of the schemas of a document whose shape is wrong elsewhere.
 */
export function readCatalog(value: unknown): NormalizedCatalog {
  return inOneGo(readCatalogInSlices(value))
}

/** The same in slices; reading stops where there is more wrong than an answer tells. */
export function* readCatalogInSlices(value: unknown): Slices<NormalizedCatalog> {
  const unsafe = yield* findDocumentProblems(value, catalogDepthMax)
  if (unsafe.length > 0) return { ok: false, issues: unsafe }
  const shape = yield* readShape(catalogSchema, value)
  yield
  if (shape.ok) return yield* normalizeCatalog(shape.value)
  if (shape.issues.length > limits.problems_max) return shape
  const { errors } = yield* catalogProblems(isPlainObject(value) ? value.operations : undefined)
  return { ok: false, issues: [...shape.issues, ...errors] }
}
