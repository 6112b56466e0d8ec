import { join } from 'node:path'
import { repositoryRoot } from '../../support/repository-root.ts'
import type { RealSystem } from '../check/evidence.ts'
import { resourceServer, workerClient, workerSecretVariable } from './token-clients.ts'

/**
 * Downstreams that nobody here wrote, each a process that the run kills and starts again: `json-server`, whose requests take a
 * token of `oidc-provider`; `graphql-http`; and `everything`, a reference server of the Model Context Protocol, over HTTP.
 * Workers start the same server over stdio, which ends with them, or is killed by itself.
 */
export const serverNames = ['json server', 'token server', 'graphql server', 'everything server'] as const
export type ServerName = (typeof serverNames)[number]
/** Of all programs that workers have started over stdio: a fault strikes one of them. */
export const programName = 'everything program'

/** Where the relay of the downstream finds what is asked of it, by the first part of the path. */
export const relayed = {
  json: { server: 'json server', endpoint: 'json_server' },
  tokens: { server: 'token server', endpoint: null },
  graphql: { server: 'graphql server', endpoint: 'graphql_http' },
  mcp: { server: 'everything server', endpoint: 'mcp_everything' },
} as const satisfies Record<string, { server: ServerName; endpoint: RealSystem | null }>
export type Relayed = keyof typeof relayed

/** Files of a run below its directory. */
export const realFiles = (directory: string) => ({
  socketOf: (server: ServerName) => join(directory, `${server.replace(' ', '-')}.socket`),
  payments: join(directory, 'payments.json'),
  shipments: join(directory, 'shipments.txt'),
  programCalls: join(directory, 'program-calls'),
})
export type RealFiles = ReturnType<typeof realFiles>

/** Compiled program of a server, below `dist`. */
export const programOf = (server: ServerName): string =>
  `test/chaos/real/${server.replace(' ', '-')}-process.js`

export function environmentOf(server: ServerName, files: RealFiles): Record<string, string> {
  const dataFiles: Partial<Record<ServerName, string>> = {
    'json server': files.payments,
    'graphql server': files.shipments,
  }
  return {
    SOCKET: files.socketOf(server),
    TOKEN_SOCKET: files.socketOf('token server'),
    DATA_FILE: dataFiles[server] ?? '',
  }
}

/** What workers may start, as `SERVICE_MCP_SERVERS` has it; it runs as whoever runs the run. */
export function mcpServers({ programCalls }: RealFiles): string {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  const user = uid === undefined || gid === undefined ? {} : { user: { uid, gid } }
  const program = join(repositoryRoot, 'dist/test/chaos/real/everything-program-process.js')
  const env = { CALLS_DIRECTORY: programCalls }
  return JSON.stringify({ everything: { command: process.execPath, args: [program], env, ...user } })
}

/** Hashes of the tools that are called, as their servers define them. */
export interface RealHashes {
  everything: string
}

const timeout_ms = 1_100
const named = { action: '{action_id}', tenant: '{tenant_id}' }
const keyed = { idempotency: 'key_honoured', key_retention_ms: 15_000 }

/** Their registrations. What a relay cannot hand on is answered 503, and was not done. */
export function realRegistrations(base_url: string, hashes: RealHashes): object[] {
  return [
    {
      name: 'json_server',
      kind: 'http',
      settings: {
        base_url: `${base_url}/real/json`,
        timeout_ms,
        ...keyed,
        auth: {
          type: 'oauth2_client_credentials',
          token_url: `${base_url}/real/tokens/token`,
          client_id: workerClient.client_id,
          client_secret: { env: workerSecretVariable },
          scope: resourceServer.client_id,
        },
        operations: {
          write: {
            method: 'POST',
            path: '/payments',
            body: { id: '{idempotency_key}', ...named, charge: '{parameters.charge}' },
            statuses: { busy: [401, 503] },
          },
        },
        lookup: { method: 'GET', path: '/payments/{idempotency_key}', executed: [200] },
      },
    },
    {
      name: 'graphql_http',
      kind: 'http',
      settings: {
        base_url: `${base_url}/real/graphql`,
        timeout_ms,
        preset: 'graphql',
        headers: { accept: 'application/json' },
        operations: {
          write: {
            method: 'POST',
            path: '/',
            body: {
              query:
                'mutation ($key: String!, $action: String!, $tenant: String!, $charge: String!) {{ ship(key: $key, action: $action, tenant: $tenant, charge: $charge) }}',
              variables: { key: '{idempotency_key}', ...named, charge: '{parameters.charge}' },
            },
            statuses: { busy: [503] },
          },
        },
        lookup: {
          method: 'GET',
          path: '/',
          query: { query: '{{ shipped(key: "{idempotency_key}") }}' },
          executed: [200],
          state: { path: 'data.shipped', executed: ['yes'] },
        },
      },
    },
    {
      name: 'mcp_everything',
      kind: 'mcp',
      settings: {
        transport: { type: 'streamable_http', url: `${base_url}/real/mcp` },
        tools: { write: { tool: 'trigger-long-running-operation', tool_schema_hash: hashes.everything } },
        timeout_ms,
      },
    },
    {
      name: 'mcp_program',
      kind: 'mcp',
      settings: {
        transport: { type: 'stdio', server: 'everything' },
        tools: { write: { tool: 'trigger-long-running-operation', tool_schema_hash: hashes.everything } },
        timeout_ms,
      },
    },
  ]
}
