import { bearerName } from '../../../../shared/contract/base/bearer-name.ts'
import type { ToolImport } from '../../../../shared/contract/configuration/tool-import.ts'

/** The ways in which a tool describes itself to the form. */
export type SourceKind = 'openapi_url' | 'openapi' | 'mcp'

export interface SourceDraft {
  kind: SourceKind
  /** An address, or the text of a document. */
  text: string
  /** Empty: made of the title. */
  system: string
  /** Where the tool is called; empty: where its document says. */
  base_url: string
  /** What an MCP server asks for; kept by the page until it is stored, and nowhere else. */
  bearer: string
}

export const emptySource: SourceDraft = {
  kind: 'openapi_url',
  text: '',
  system: '',
  base_url: '',
  bearer: '',
}

/** The request of an import, as the service takes it. */
export function importOf(draft: SourceDraft): ToolImport {
  const { kind, system, base_url } = draft
  const secret = secretOf(draft)
  return {
    source: sourceOf(draft, secret?.name ?? null),
    ...(secret ? { secrets: { [secret.name]: secret.value } } : {}),
    ...(system === '' ? {} : { system }),
    ...(base_url === '' || kind === 'mcp' ? {} : { base_url }),
  }
}

/** The secret that a form names for an MCP server; it is stored under that name once the tool is in force. */
export function secretOf({
  kind,
  text,
  system,
  bearer,
}: SourceDraft): { name: string; value: string } | null {
  const value = bearer.trim()
  return kind === 'mcp' && value !== '' ? { name: bearerName(system || text), value } : null
}

function sourceOf({ kind, text }: SourceDraft, secret: string | null): ToolImport['source'] {
  if (kind === 'openapi') return { kind, text }
  if (kind === 'openapi_url') return { kind, url: text.trim() }
  const bearer = secret === null ? {} : { bearer: { secret } }
  return { kind, transport: { type: 'streamable_http', url: text.trim(), ...bearer } }
}
