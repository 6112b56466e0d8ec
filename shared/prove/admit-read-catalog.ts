import { type AdmissionCatalog, admissionCatalogSchema } from '../contract/admission.ts'
import type { Issue } from '../contract/errors.ts'
import { issuesOf } from '../contract/issues.ts'
import { documentProblems } from '../gate/document-problems.ts'
import { ok, type Result, refused } from '../result.ts'

/** As deep as the strict reader reads. */
const catalogDepthMax = 64

/**
 * Reads a draft that is to be looked at for holes. Refused is only what has not the shape of a catalog: open schemas and
 * what a reviewer has left out are holes.
 */
export function readAdmissionCatalog(value: unknown): Result<AdmissionCatalog, Issue[]> {
  const unsafe = documentProblems(value, catalogDepthMax)
  if (unsafe.length > 0) return refused(unsafe)
  const parsed = admissionCatalogSchema.safeParse(value)
  if (!parsed.success) return refused(issuesOf(parsed.error))
  const twice = duplicates(parsed.data)
  return twice.length > 0 ? refused(twice) : ok(parsed.data)
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
