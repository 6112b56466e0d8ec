import { canonicalJson } from '../../canon/canonical-json.ts'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import type { PlannedRequest } from '../../contract/action/planned-request.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator-schema.ts'
import type { PlannedCall } from '../actuator.ts'
import type { ShowLiteral } from '../recorded-text.ts'

/**
 * Returns the server and the tool without credentials, because a replaced credential does not change the
 * request.
 */
export function requestOf({ transport, tools }: McpSettings, operation: string): JsonValue {
  const entry = Object.hasOwn(tools, operation) ? tools[operation] : undefined
  const tool = entry?.tool ?? operation
  if (transport.type === 'streamable_http') {
    const { url, headers = {} } = transport
    return { tool, url, headers }
  }
  return { tool, server: transport.server }
}

export function planTool(settings: McpSettings, call: PlannedCall, show: ShowLiteral): PlannedRequest {
  const { operation, parameters, tool_schema_hash: committed } = call
  const entry = Object.hasOwn(settings.tools, operation) ? settings.tools[operation] : undefined
  if (!entry) {
    const message = `no tool is registered for ${operation}`
    return { kind: 'none', code: 'operation_not_registered', message }
  }
  return {
    kind: 'mcp',
    server: shownServer(settings.transport, show),
    tool: entry.tool ?? operation,
    tool_schema_hash: committed ?? entry.tool_schema_hash ?? null,
    arguments: parameters,
  }
}

/** Shows a server with its headers and variables. Secrets appear as references; likely secrets are hidden. */
function shownServer({ type: _type, ...server }: McpSettings['transport'], show: ShowLiteral): JsonObject {
  const shown = Object.entries(server as JsonObject).map(([member, value]) => [
    member,
    byName.has(member) ? shownValues(value as JsonObject, show) : value,
  ])
  return Object.fromEntries(shown)
}

const byName: ReadonlySet<string> = new Set(['headers', 'env'])

function shownValues(values: JsonObject, show: ShowLiteral): JsonObject {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? (show(name, value) ?? value) : value,
  ])
  return Object.fromEntries(shown)
}

/** Members that define a tool for its callers. A change of any of these makes it another tool. */
const committed = ['name', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/**
 * Computes `tool_schema_hash` of a catalog (specification.md#catalogs): SHA-256 over `ags-tool/v1`, a line
 * feed, and the RFC 8785 text of the tool's name, description, schemas and annotations.
 */
export function toolHash(tool: Readonly<Record<string, unknown>>): string {
  const definition: JsonObject = {}
  for (const name of committed) {
    if (tool[name] !== undefined) definition[name] = tool[name] as JsonValue
  }
  return prefixedHex(sha256(`ags-tool/v1\n${canonicalJson(definition)}`))
}
