import type { HttpOperation, HttpSettings } from '../configuration/http-actuator-schema.ts'
import type { ActuatorKind } from './kind.ts'

/** Sends one HTTP request for each operation (specification.md#actuators). */
export const httpKind: ActuatorKind<HttpSettings> = {
  simulated: false,
  comparedAtCall: false,
  operations: ({ operations }) => operations,
  address: ({ base_url }) => base_url,
  urls: ({ base_url, auth }) => ({
    base_url,
    'auth.token_url': auth && 'token_url' in auth ? auth.token_url : undefined,
  }),
  toolSchemaHash: () => undefined,
  runs: () => null,
  hasSecretInQuery: ({ auth }) => auth?.type === 'query',
  honoursKey: ({ idempotency }) => idempotency === 'key_honoured',
  operationHonoursKey: (settings, operation) => {
    const { idempotency } = operationOf(settings, operation) ?? {}
    return idempotency === undefined ? null : idempotency === 'key_honoured'
  },
  keyRetentionMs: ({ key_retention_ms }) => key_retention_ms,
  mayLookUp: ({ lookup }) => lookup !== undefined,
  completion: (settings, operation) => operationOf(settings, operation)?.completion,
  assumed: () => ({ base_url: 'https://assumed.invalid', operations: {} }),
}

export function operationOf({ operations }: HttpSettings, name: string): HttpOperation | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined
}
