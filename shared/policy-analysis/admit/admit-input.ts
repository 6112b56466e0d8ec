import type { RegisteredActuator } from '../../contract/configuration/actuator.ts'
import type { AdmissionCatalog } from '../../contract/configuration/admission.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { GateMode } from '../../contract/configuration/verification.ts'

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
