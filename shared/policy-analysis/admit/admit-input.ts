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

/** What is looked at for holes. */
export interface AdmissionInput {
  /** In normalized form. */
  policy: Policy
  /** In force, or a draft that `readAdmissionCatalog` has read. */
  catalog: AdmissionCatalog | null
  mode: GateMode
  actuators: readonly RegisteredActuator[]
  /** Hashes of tools as their servers describe them now; where none is given, those of the registration count. */
  tools: readonly { system: string; operation: string; hash: string }[]
  /** Who wrote the policy, and who reviewed the catalog and how long ago; null where there is no catalog. */
  review: { author: string; reviewer: string; age_ms: number } | null
  /** Routes of the tenant, each with the holders of its groups now. */
  routes: readonly {
    name: string
    required: readonly RouteDemand[]
    members: ReadonlyMap<string, readonly string[]>
  }[]
  deployment: Deployment
}

/** What is known of the service and its workers. */
export interface Deployment {
  /** Whether audits are signed. */
  signing: boolean
  /** Whether what is stored outlives the process. */
  durable: boolean
  /** Whether some worker reported within its heartbeat. */
  worker_seen: boolean
  /** How many different people have keys of the tenant that may approve now. */
  approvers: number
  /** From the first call of an execution to the last that repeats it, at the longest. */
  retry_horizon_ms: number
}

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
