import type { Issue } from '../../contract/base/errors.ts'
import { readShape } from '../../contract/base/read-shape.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import { type AdmissionCatalog, admissionCatalogSchema } from '../../contract/configuration/admission.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { RouteDemand } from '../../contract/configuration/route-schema.ts'
import type { GateMode } from '../../contract/configuration/verification-schema.ts'
import { findDocumentProblems } from '../../gate/document-problems.ts'
import { ok, type Result, refused } from '../../result.ts'

export interface AdmissionInput {
  policy: Policy
  /** The catalog in force, or a draft that `readAdmissionCatalog` has read. */
  catalog: AdmissionCatalog | null
  mode: GateMode
  actuators: readonly RegisteredActuator[]
  /** Tool hashes that servers report now. For every other tool, the hash in the registration counts. */
  tools: readonly { system: string; operation: string; hash: string }[]
  /** The policy's author, the catalog's reviewer and the age of the review; null without a catalog. */
  review: { author: string; reviewer: string; age_ms: number } | null
  routes: readonly {
    name: string
    required: readonly RouteDemand[]
    members: ReadonlyMap<string, readonly string[]>
  }[]
  deployment: Deployment
}

export interface Deployment {
  signing: boolean
  /** True if stored data outlives the process. */
  durable: boolean
  worker_seen: boolean
  /** The number of people who hold an approver key of the tenant. Each person counts once. */
  approvers: number
  /** Milliseconds from the first call of an execution to its last possible retry. */
  retry_horizon_ms: number
}

const catalogDepthMax = 64

/**
 * Reads a draft catalog for admission. An open schema or a missing review field is no error here, because
 * admission reports it as a hole.
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
