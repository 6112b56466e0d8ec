import { catalogSchema } from '../contract/catalog.ts'
import { issuesOf } from '../contract/issues.ts'
import { isPlainObject } from '../contract/json.ts'
import { catalogProblems } from './catalog-problems.ts'
import { documentProblems } from './document-problems.ts'
import { type NormalizedCatalog, normalizeCatalog } from './normalize-catalog.ts'

/** As deep as the strict reader reads. */
const catalogDepthMax = 64

/**
 * Reads a catalog as someone wrote it: shape, then meaning, then normalized form (contract section 8). Every problem is
 * reported at once, also those of the schemas of a document whose shape is wrong elsewhere.
 */
export function readCatalog(value: unknown): NormalizedCatalog {
  const unsafe = documentProblems(value, catalogDepthMax)
  if (unsafe.length > 0) return { ok: false, issues: unsafe }
  const parsed = catalogSchema.safeParse(value)
  if (parsed.success) return normalizeCatalog(parsed.data)
  const { errors } = catalogProblems(isPlainObject(value) ? value.operations : undefined)
  return { ok: false, issues: [...issuesOf(parsed.error), ...errors] }
}
