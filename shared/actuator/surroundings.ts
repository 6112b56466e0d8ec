import { nameOfSecret, type SecretReference, secretReferenceSchema } from '../contract/base/http-auth.ts'
import type { JsonValue } from '../contract/base/json.ts'
import type { McpServer } from '../contract/configuration/mcp-actuator-schema.ts'
import type { Actuator } from './actuator.ts'
import type { EgressGuard } from './egress/egress-guard.ts'
import type { Exchange } from './exchange.ts'
import type { TokenCache } from './http/token-cache.ts'
import type { KeptSessions } from './mcp/kept-sessions.ts'
import type { OpenStored } from './stored-secrets.ts'

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
  /** Opens what tenants have stored; absent: nothing is stored. */
  stored?: OpenStored
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

/** Variables and servers that a registration names and is not offered. */
export function lacksOf({ settings }: { settings: unknown }, { secrets, mcpServers }: Offer): Lack[] {
  const server = serverOf(settings)
  return [
    ...referencesIn(settings).flatMap(({ reference, path }) =>
      'secret' in reference || secrets.has(reference.env)
        ? []
        : [{ code: 'secret_missing' as const, path, message: `${reference.env} is not set` }],
    ),
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

/** A secret as settings name it, and where in them. */
export interface NamedSecret {
  reference: SecretReference
  path: string
}

/** Every secret that settings name, wherever in them. */
export function referencesIn(settings: unknown, path = ''): NamedSecret[] {
  if (typeof settings !== 'object' || settings === null) return []
  const read = secretReferenceSchema.safeParse(settings)
  if (read.success) return [{ reference: read.data, path: `${path}.${Object.keys(read.data)[0]}` }]
  return Object.entries(settings).flatMap(([name, inner]) => referencesIn(inner, `${path}.${name}`))
}

/** Names of the secrets that its tenant has stored for a registration. */
export function storedSecretsOf(settings: unknown): string[] {
  const names = referencesIn(settings).flatMap(({ reference }) =>
    'secret' in reference ? [reference.secret] : [],
  )
  return [...new Set(names)]
}

/** Names of the secrets that settings refer to. */
export function secretsOf(settings: unknown): string[] {
  return [...new Set(referencesIn(settings).map(({ reference }) => nameOfSecret(reference)))]
}
