import type { Issue } from '../../contract/base/errors.ts'
import { readShape } from '../../contract/base/read-shape.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { type AdmissionCatalog, admissionCatalogSchema } from '../../contract/configuration/admission.ts'
import { findDocumentProblems } from '../../gate/document-problems.ts'
import { ok, type Result, refused } from '../../result.ts'

/** As deep as the strict reader reads. */
const catalogDepthMax = 64

/**
 * Reads a draft that is to be looked at for holes. Refused is only what has not the shape of a catalog: open schemas and
 * what a reviewer has left out are holes.
 */
export function* readAdmissionCatalog(value: unknown): Slices<Result<AdmissionCatalog, Issue[]>> {
  const unsafe = yield* findDocumentProblems(value, catalogDepthMax)
  if (unsafe.length > 0) return refused(unsafe)
  const shape = yield* readShape(admissionCatalogSchema, value)
  if (!shape.ok) return refused(shape.issues)
  yield
  const twice = duplicates(shape.value)
  return twice.length > 0 ? refused(twice) : ok(shape.value)
}

function duplicates({ operations }: AdmissionCatalog): Issue[] {
  const seen = new Set<string>()
  return operations.flatMap(({ system, operation }, index) => {
    const known = seen.has(`${system} ${operation}`)
    seen.add(`${system} ${operation}`)
    if (!known) return []
    return [{ path: `operations[${index}]`, code: 'duplicate_operation', message: 'is entered before' }]
  })
}
