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
}

export const emptySource: SourceDraft = { kind: 'openapi_url', text: '', system: '', base_url: '' }

/** The request of an import, as the service takes it. */
export function importOf({ kind, text, system, base_url }: SourceDraft): ToolImport {
  return {
    source: sourceOf(kind, text),
    ...(system === '' ? {} : { system }),
    ...(base_url === '' || kind === 'mcp' ? {} : { base_url }),
  }
}

function sourceOf(kind: SourceKind, text: string): ToolImport['source'] {
  if (kind === 'openapi') return { kind, text }
  if (kind === 'openapi_url') return { kind, url: text.trim() }
  return { kind, transport: { type: 'streamable_http', url: text.trim() } }
}
