import type { MockSettings } from '../configuration/actuator-schema.ts'
import type { ActuatorKind } from './kind.ts'

/**
 * A kind that a newer version of the service has registered. This version promises nothing of it, and the jobs of
 * such an actuator end before any effect, because no worker of this version can make the call.
 */
export const unknownKind: ActuatorKind<MockSettings> = {
  simulated: false,
  comparedAtCall: false,
  operations: () => null,
  address: () => null,
  urls: () => ({}),
  toolSchemaHash: () => undefined,
  runs: () => null,
  hasSecretInQuery: () => false,
  honoursKey: () => false,
  operationHonoursKey: () => null,
  keyRetentionMs: () => undefined,
  mayLookUp: () => false,
  completion: () => undefined,
  assumed: () => ({}),
}
