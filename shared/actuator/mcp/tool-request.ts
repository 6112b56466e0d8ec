import type { PlannedRequest } from '../../contract/action/planned-request.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator.ts'
import type { PlannedCall } from '../planned-call.ts'
import type { ShowLiteral } from '../show-literal.ts'

/** The server and its tool, but for what proves who asks. */
export function requestOf({ transport, tools }: McpSettings, operation: string): JsonValue {
  const entry = Object.hasOwn(tools, operation) ? tools[operation] : undefined
  const tool = entry?.tool ?? operation
  if (transport.type === 'streamable_http') {
    const { url, headers = {} } = transport
    return { tool, url, headers }
  }
  return { tool, server: transport.server }
}

/** The call of a tool, with the server as it is registered. */
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

/** Headers and variables by name: secrets stay references, what looks like one is hidden. */
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
