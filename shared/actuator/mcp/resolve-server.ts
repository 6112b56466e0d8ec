import { canonicalJson } from '../../canon/canonical-json.ts'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { nameOfSecret, type SecretReference } from '../../contract/base/http-auth.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { McpServer, McpSettings } from '../../contract/configuration/mcp-actuator-schema.ts'
import { type EgressGuard, EgressRefused } from '../egress/egress-guard.ts'

export type ResolvedServer = ResolvedProgram | ResolvedAddress

export interface ResolvedProgram {
  type: 'stdio'
  command: string
  args: string[]
  env: Record<string, string>
  cwd: string | null
  user: { uid: number; gid: number } | null
  calls_max: number
}

export interface ResolvedAddress {
  type: 'streamable_http'
  url: string
  headers: Record<string, string>
}

export interface Names {
  mcpServers: ReadonlyMap<string, McpServer>
  secrets: ReadonlyMap<string, string>
  egress: EgressGuard
}

const callsMaxPreset = 8

/** Resolves the server that the settings name. Throws EgressRefused if that server may not be reached. */
export function resolveServer(
  settings: McpSettings['transport'],
  { mcpServers, secrets, egress }: Names,
): ResolvedServer {
  if (settings.type === 'stdio') {
    const { server } = settings
    const configured = mcpServers.get(server)
    if (!configured) throw new EgressRefused(`${server} is not one of SERVICE_MCP_SERVERS`)
    return resolveProgram(configured, secrets)
  }
  const { type, url, headers = {}, bearer } = settings
  egress.check(new URL(url))
  return {
    type,
    url,
    headers: {
      ...valuesOf(headers, secrets),
      ...(bearer ? { authorization: `Bearer ${secrets.get(nameOfSecret(bearer)) ?? ''}` } : {}),
    },
  }
}

function resolveProgram(server: McpServer, secrets: ReadonlyMap<string, string>): ResolvedProgram {
  const { command, args, env, cwd = null, user = null, calls_max = callsMaxPreset } = server
  return { type: 'stdio', command, args, env: valuesOf(env, secrets), cwd, user, calls_max }
}

/**
 * Returns the identity of a session. Only calls with the same tenant, address and secrets share a session, so
 * that a tenant's call leaves nothing in it for another tenant.
 */
export function identityOf(
  tenant_id: string,
  server: ResolvedServer,
  bounds: { max_response_bytes: number },
): string {
  const identity = { tenant_id, server, ...bounds } as unknown as JsonValue
  return prefixedHex(sha256(`ags-mcp-session/v1\n${canonicalJson(identity)}`))
}

function valuesOf(
  values: Readonly<Record<string, string | SecretReference>>,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : (secrets.get(nameOfSecret(value)) ?? ''),
  ])
  return Object.fromEntries(entries)
}
