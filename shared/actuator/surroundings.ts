import { nameOfSecret, type SecretReference, secretReferenceSchema } from '../contract/base/http-auth.ts'
import type { JsonValue } from '../contract/base/json.ts'
import type { McpServer } from '../contract/configuration/mcp-actuator-schema.ts'
import type { Actuator } from './actuator.ts'
import type { EgressGuard } from './egress/egress-guard.ts'
import type { Exchange } from './exchange.ts'
import type { TokenCache } from './http/token-cache.ts'
import type { KeptSessions } from './mcp/kept-sessions.ts'
import type { OpenStored } from './stored-secrets.ts'

export interface Hiding {
  text(text: string): string
  json(value: JsonValue): JsonValue
}

export interface RegistryDependencies {
  modules: readonly Actuator[]
  /** The current values of the variables that registrations may refer to. */
  secrets: Pick<ReadonlyMap<string, string>, 'get' | 'has'>
  stored?: OpenStored
  egress: EgressGuard
  mcpServers: ReadonlyMap<string, McpServer>
  tokens: TokenCache
  mcpSessions: KeptSessions
  /** Receives each HTTP exchange with its redactor, so that a test call can show the exchange. */
  observe?(exchanged: Exchange, hiding: Hiding): void
}

/**
 * The dependencies of one actuator. Only the actuator's own secrets are present; they stay fixed during a
 * call.
 */
export interface ActuatorDependencies extends RegistryDependencies {
  secrets: ReadonlyMap<string, string>
}

export function settingsIn(
  { settings }: { settings: unknown },
  { mcpServers }: Pick<RegistryDependencies, 'mcpServers'>,
): unknown[] {
  const server = mcpServers.get(serverOf(settings) ?? '')
  return server ? [settings, server] : [settings]
}

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

export interface Offer {
  secrets: { has(name: string): boolean }
  mcpServers: { has(name: string): boolean }
}

export interface Lack {
  code: 'secret_missing' | 'mcp_server_missing'
  path: string
  message: string
}

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

function serverOf(settings: unknown): string | null {
  const { transport } = settings as { transport?: { type?: unknown; server?: unknown } }
  return transport?.type === 'stdio' && typeof transport.server === 'string' ? transport.server : null
}

export interface NamedSecret {
  reference: SecretReference
  path: string
}

export function referencesIn(settings: unknown, path = ''): NamedSecret[] {
  if (typeof settings !== 'object' || settings === null) return []
  const read = secretReferenceSchema.safeParse(settings)
  if (read.success) return [{ reference: read.data, path: `${path}.${Object.keys(read.data)[0]}` }]
  return Object.entries(settings).flatMap(([name, inner]) => referencesIn(inner, `${path}.${name}`))
}

export function storedSecretsOf(settings: unknown): string[] {
  const names = referencesIn(settings).flatMap(({ reference }) =>
    'secret' in reference ? [reference.secret] : [],
  )
  return [...new Set(names)]
}

export function secretsOf(settings: unknown): string[] {
  return [...new Set(referencesIn(settings).map(({ reference }) => nameOfSecret(reference)))]
}
