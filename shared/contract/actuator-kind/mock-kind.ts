import type { MockSettings } from '../configuration/actuator-schema.ts'
import type { ActuatorKind } from './kind.ts'

/** Plays every operation and honours the key unless told otherwise; it has no outcome to look up. */
export const mockKind: ActuatorKind<MockSettings> = {
  simulated: true,
  comparedAtCall: false,
  operations: () => null,
  address: () => null,
  urls: () => ({}),
  toolSchemaHash: () => undefined,
  runs: () => null,
  hasSecretInQuery: () => false,
  honoursKey: ({ idempotency }) => (idempotency ?? 'key_honoured') === 'key_honoured',
  operationHonoursKey: () => null,
  keyRetentionMs: () => Number.POSITIVE_INFINITY,
  mayLookUp: () => true,
  completion: () => undefined,
  assumed: () => ({}),
}
