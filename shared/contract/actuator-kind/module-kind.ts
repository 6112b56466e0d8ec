import type { RegisteredActuator } from '../configuration/actuator-schema.ts'
import type { ActuatorKind } from './kind.ts'

/** Code that the operator loads into the workers; only the code knows its operations, its look-up and its key. */
export const moduleKind: ActuatorKind<Extract<RegisteredActuator, { kind: 'module' }>['settings']> = {
  simulated: false,
  comparedAtCall: false,
  operations: () => null,
  address: () => null,
  urls: () => ({}),
  toolSchemaHash: ({ tool_schema_hash }) => tool_schema_hash,
  runs: () => 'module',
  hasSecretInQuery: () => false,
  honoursKey: () => null,
  operationHonoursKey: () => null,
  keyRetentionMs: () => undefined,
  mayLookUp: () => true,
  completion: () => undefined,
  assumed: hash => (hash === undefined ? {} : { tool_schema_hash: hash }),
}
