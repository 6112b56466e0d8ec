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
 * Reads a policy: first its shape, then contradictions, then the normalized form (specification.md#policies). All
 * problems are reported at once; contradictions are found even if another part is malformed.
 */
export function readPolicy(value: unknown): NormalizedPolicy {
  return inOneGo(readPolicyInSlices(value))
}

/** Runs `readPolicy` in slices and stops at the maximum number of problems in an answer. */
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

const catalogDepthMax = 64

/**
 * Reads a catalog: first its shape, then its schemas, then the normalized form (specification.md#catalogs). All
 * problems are reported at once; faults of schemas are found even if another part is malformed.
 */
export function readCatalog(value: unknown): NormalizedCatalog {
  return inOneGo(readCatalogInSlices(value))
}

/** Runs `readCatalog` in slices and stops at the maximum number of problems in an answer. */
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
