import type { McpSettings } from '../configuration/mcp-actuator-schema.ts'
import type { ActuatorKind } from './kind.ts'

/** Calls one tool of a Model Context Protocol server for each operation; the server has no look-up. */
export const mcpKind: ActuatorKind<McpSettings> = {
  simulated: false,
  comparedAtCall: true,
  operations: ({ tools }) => tools,
  address: ({ transport }) => (transport.type === 'stdio' ? transport.server : transport.url),
  urls: ({ transport }) => ({ 'transport.url': transport.type === 'stdio' ? undefined : transport.url }),
  toolSchemaHash: ({ tools }, operation) =>
    Object.hasOwn(tools, operation) ? tools[operation]?.tool_schema_hash : undefined,
  runs: ({ transport }) => (transport.type === 'stdio' ? 'program' : null),
  hasSecretInQuery: () => false,
  honoursKey: ({ idempotency }) => idempotency === 'key_honoured',
  operationHonoursKey: () => null,
  keyRetentionMs: ({ key_retention_ms }) => key_retention_ms,
  mayLookUp: () => false,
  completion: () => undefined,
  assumed: () => ({ transport: { type: 'stdio', server: 'assumed' }, tools: {} }),
}
