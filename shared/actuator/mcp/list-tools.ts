import { type Client, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import type { JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator-schema.ts'
import { openDeadline, unlessAborted } from '../../runtime/deadline.ts'
import { refusalIn } from '../egress/egress-guard.ts'
import { reasonOf, redacting } from '../recorded-text.ts'
import { lacksOf, ownSecrets, type RegistryDependencies, settingsIn } from '../surroundings.ts'
import { createClient, openTransport } from './open-client.ts'
import { resolveServer } from './resolve-server.ts'
import { toolHash } from './tool-request.ts'
import { createWire } from './watch-wire.ts'

export interface ServerTools {
  name: string
  tools: { name: string; hash: string; definition: JsonObject }[]
}

export interface ListingRefused {
  code: string
  message: string
}

export interface ListingBounds {
  timeout_ms: number
  max_response_bytes: number
  signal: AbortSignal
}

/** Lists the tools of a server in a new session, under the same rules as a call. */
export async function listServerTools(
  transport: McpSettings['transport'],
  around: RegistryDependencies,
  { timeout_ms, max_response_bytes, signal }: ListingBounds,
): Promise<ServerTools | ListingRefused> {
  const registration = { settings: { transport } }
  const settings = settingsIn(registration, around)
  const [lack] = settings.flatMap(one => lacksOf({ settings: one }, around))
  if (lack) return { code: lack.code, message: lack.message }
  const secrets = ownSecrets(registration, around)
  const redact = redacting(settings, secrets)
  const client = createClient()
  const deadline = openDeadline(signal, timeout_ms)
  let end = async (): Promise<void> => undefined
  try {
    const server = resolveServer(transport, { ...around, secrets })
    const wire = createWire(server.type)
    const bounds = { timeout_ms, max_response_bytes, isLate: () => deadline.signal.aborted }
    const opened = openTransport(server, { egress: around.egress, wire }, bounds)
    end = opened.end
    await unlessAborted(client.connect(opened.transport, { timeout: timeout_ms }), deadline.signal)
    wire.opened()
    const options = { signal: deadline.signal, timeout: timeout_ms }
    return { name: nameOf(client, transport), tools: await everyTool(client, options) }
  } catch (error) {
    const refused = refusalIn(error)
    if (refused) return { code: refused.code, message: refused.message }
    if (isUnauthorized(error)) return unauthorized(secrets.size > 0)
    return { code: 'mcp_not_ready', message: reasonOf(error, redact.text) }
  } finally {
    deadline.clear()
    // An error while closing is ignored, because it says nothing about the list.
    await end().catch(() => undefined)
  }
}

/** Omits the server's own words, because they may repeat the credential. */
function unauthorized(proved: boolean): ListingRefused {
  const message = proved
    ? 'the server does not accept the credential (status 401)'
    : 'the server asks for a credential (status 401): name its bearer as a secret, and give the value'
  return { code: 'credential_refused', message }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401)
}

async function everyTool(
  client: Client,
  options: { signal: AbortSignal; timeout: number },
): Promise<ServerTools['tools']> {
  const { tools } = await client.listTools({}, { ...options, cacheMode: 'refresh' })
  if (tools.length > limits.import_tools_max)
    throw new Error(`the server lists ${tools.length} tools, and ${limits.import_tools_max} are read`)
  return tools.map(tool => ({
    name: tool.name,
    hash: toolHash(tool),
    definition: tool as unknown as JsonObject,
  }))
}

function nameOf(client: Client, transport: McpSettings['transport']): string {
  const { title, name } = client.getServerVersion() ?? {}
  if (title || name) return String(title || name)
  return transport.type === 'stdio' ? transport.server : new URL(transport.url).hostname
}
