import { bearerName } from '../../../../shared/contract/base/bearer-name.ts'
import type { McpSettings } from '../../../../shared/contract/configuration/mcp-actuator-schema.ts'
import type { ToolImport, ToolView } from '../../../../shared/contract/configuration/tool-import.ts'

export type SourceKind = 'openapi_url' | 'openapi' | 'mcp'

/** Servers describe their tools when they are called, with a token; documents say the address of their API. */
export const isServer: Readonly<Record<SourceKind, boolean>> = {
  openapi_url: false,
  openapi: false,
  mcp: true,
}

export interface SourceDraft {
  kind: SourceKind
  /** The address of a document or server, or the text of a document. */
  text: string
  /** The name of the system. Empty derives the name from the document's title. */
  system: string
  /** The address of the API. Empty uses the address in the API's document. */
  base_url: string
  /** The bearer token of an MCP server. Only this page holds the token until it is stored as a secret. */
  bearer: string
  /** The name of the stored bearer token. Empty derives the name from the system or the address. */
  bearer_name: string
  /**
   * The settings of the registered MCP server. Null once another address is typed, so that they do not apply to
   * another server.
   */
  registered: McpSettings['transport'] | null
}

export const emptySource: SourceDraft = {
  kind: 'openapi_url',
  text: '',
  system: '',
  base_url: '',
  bearer: '',
  bearer_name: '',
  registered: null,
}

export function sourceOfTool({ system, actuator }: ToolView): SourceDraft {
  const draft = { ...emptySource, system }
  if (!actuator || !('transport' in actuator.settings)) return draft
  const { transport } = actuator.settings
  if (transport.type === 'stdio') return { ...draft, kind: 'mcp', registered: transport }
  const { url, bearer } = transport
  const bearer_name = bearer && 'secret' in bearer ? bearer.secret : ''
  return { ...draft, kind: 'mcp', text: url, bearer_name, registered: transport }
}

export function importOf(draft: SourceDraft): ToolImport {
  const { kind, system, base_url } = draft
  const secret = secretOf(draft)
  return {
    source: sourceOf(draft, secret?.name ?? null),
    ...(secret ? { secrets: { [secret.name]: secret.value } } : {}),
    ...(system === '' ? {} : { system }),
    ...(base_url === '' || isServer[kind] ? {} : { base_url }),
  }
}

/** Returns the secret of an MCP server. The page stores it under `name` once the tool is in force. */
export function secretOf({
  kind,
  text,
  system,
  bearer,
  bearer_name,
}: SourceDraft): { name: string; value: string } | null {
  const value = bearer.trim()
  const name = bearer_name || bearerName(system || text)
  return isServer[kind] && value !== '' ? { name, value } : null
}

function sourceOf({ kind, text, registered }: SourceDraft, secret: string | null): ToolImport['source'] {
  const bearer = secret === null ? {} : { bearer: { secret } }
  if (registered?.type === 'stdio') return { kind: 'mcp', transport: registered }
  if (registered) return { kind: 'mcp', transport: { ...registered, ...bearer } }
  if (kind === 'openapi') return { kind, text }
  if (kind === 'openapi_url') return { kind, url: text.trim() }
  return { kind, transport: { type: 'streamable_http', url: text.trim(), ...bearer } }
}
