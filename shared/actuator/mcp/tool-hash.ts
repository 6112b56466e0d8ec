import { canonicalJson } from '../../canon/canonical-json.ts'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'

/** What a tool is to whoever calls it: a change of any of these is another tool. */
const committed = ['name', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/**
 * `tool_schema_hash` of a catalog (specification.md#catalogs) for a tool of a Model Context Protocol server: SHA-256 over
 * `ags-tool/v1`, a line feed, and the RFC 8785 text of its name, description, schemas and annotations.
 */
export function toolHash(tool: Readonly<Record<string, unknown>>): string {
  const definition: JsonObject = {}
  for (const name of committed) {
    if (tool[name] !== undefined) definition[name] = tool[name] as JsonValue
  }
  return prefixedHex(sha256(`ags-tool/v1\n${canonicalJson(definition)}`))
}
