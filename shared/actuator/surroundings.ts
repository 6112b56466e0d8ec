import { secretReferenceSchema } from '../contract/base/credentials.ts'
import type { JsonValue } from '../contract/base/json.ts'
import type { McpServer } from '../contract/configuration/mcp-actuator.ts'
import type { Actuator } from './actuator.ts'
import type { EgressGuard } from './egress/egress-guard.ts'
import type { Exchange } from './exchange.ts'
import type { TokenCache } from './http/token-cache.ts'
import type { KeptSessions } from './mcp/kept-sessions.ts'

/** Hides secrets in what is shown. */
export interface Hiding {
  text(text: string): string
  json(value: JsonValue): JsonValue
}

/** What the registry of a worker has around it. */
export interface RegistryDependencies {
  /** Loaded by `--actuators`. */
  modules: readonly Actuator[]
  /** Values of the variables that registrations may refer to, by name, as they are when they are asked for. */
  secrets: Pick<ReadonlyMap<string, string>, 'get' | 'has'>
  /** Where actuators may connect to. */
  egress: EgressGuard
  /** Model Context Protocol servers that may be started, by name. */
  mcpServers: ReadonlyMap<string, McpServer>
  /** Access tokens that its calls share. */
  tokens: TokenCache
  /** Sessions with Model Context Protocol servers, which calls share. */
  mcpSessions: KeptSessions
  /** Sees what became of each request over HTTP, and what hides its secrets; a test call shows it. */
  observe?(exchanged: Exchange, hiding: Hiding): void
}

/** The same for one actuator: secrets are those that its registration names, and stay what they are during a call. */
export interface ActuatorDependencies extends RegistryDependencies {
  secrets: ReadonlyMap<string, string>
}

/** Settings in which secrets are named: those of a registration, and of the server that it names. */
export function settingsIn(
  { settings }: { settings: unknown },
  { mcpServers }: Pick<RegistryDependencies, 'mcpServers'>,
): unknown[] {
  const server = mcpServers.get(serverOf(settings) ?? '')
  return server ? [settings, server] : [settings]
}

/** Values of the secrets that a registration names, as far as they are here. */
export function ownSecrets(
  registration: { settings: unknown },
  around: RegistryDependencies,
): Map<string, string> {
  const names = settingsIn(registration, around).flatMap(secretsOf)
  return new Map(
    names.flatMap(name => {
      const value = around.secrets.get(name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

/** What a worker has that registrations may name, without the values. */
export interface Offer {
  secrets: { has(name: string): boolean }
  mcpServers: { has(name: string): boolean }
}

/** Something that a registration names and a worker does not have. */
export interface Lack {
  code: 'secret_missing' | 'mcp_server_missing'
  /** Where in the settings it is named, or in the setting of the workers. */
  path: string
  message: string
}

/** What a registration names and is not offered. */
export function lacksOf({ settings }: { settings: unknown }, { secrets, mcpServers }: Offer): Lack[] {
  const server = serverOf(settings)
  return [
    ...namedIn(settings as JsonValue, '')
      .filter(({ env }) => !secrets.has(env))
      .map(({ env, path }) => ({ code: 'secret_missing' as const, path, message: `${env} is not set` })),
    ...(server === null || mcpServers.has(server)
      ? []
      : [
          {
            code: 'mcp_server_missing' as const,
            path: '.transport.server',
            message: `${server} is not one of SERVICE_MCP_SERVERS`,
          },
        ]),
  ]
}

/** The server of `SERVICE_MCP_SERVERS` that settings name, or null. */
function serverOf(settings: unknown): string | null {
  const { transport } = settings as { transport?: { type?: unknown; server?: unknown } }
  return transport?.type === 'stdio' && typeof transport.server === 'string' ? transport.server : null
}

function namedIn(value: JsonValue, path: string): { env: string; path: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const reference = secretReferenceSchema.safeParse(value)
  if (reference.success) return [{ env: reference.data.env, path: `${path}.env` }]
  return Object.entries(value).flatMap(([name, inner]) => namedIn(inner, `${path}.${name}`))
}

/** Names of the environment variables that settings refer to, wherever in them. */
export function secretsOf(settings: unknown): string[] {
  return [...new Set(namedIn(settings as JsonValue, '').map(({ env }) => env))]
}
