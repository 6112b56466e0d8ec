import type { toolEndpoints } from '../../shared/contract/endpoints/tool-endpoints.ts'
import { allowLocalHost, listLocalHosts } from '../../shared/flow/core/egress.ts'
import { changeTool, dropTool } from '../../shared/flow/tool/change-tool.ts'
import { importTool } from '../../shared/flow/tool/import-tool.ts'
import { listTools, readTool, readToolHealth } from '../../shared/flow/tool/tenant-tools.ts'
import { testTool } from '../../shared/flow/tool/test-tool.ts'
import type { Handlers } from './handler.ts'

type OwnedRows =
  | 'list_tools'
  | 'read_tool'
  | 'read_tool_health'
  | 'import_tool'
  | 'change_tool'
  | 'remove_tool'
  | 'test_tool'

export const toolHandlers: Handlers<typeof toolEndpoints, OwnedRows> = {
  async list_tools(context, { params }) {
    return { status: 200, body: await listTools(context, params.tenant_id) }
  },
  async read_tool(context, { params }) {
    return { status: 200, body: await readTool(context, params) }
  },
  async read_tool_health(context, { params }) {
    return { status: 200, body: await readToolHealth(context, params) }
  },
  async import_tool(context, { params, body: request, principal: author }) {
    return { status: 200, body: await importTool(context, { ...params, request, author }) }
  },
  async change_tool(context, { params, body: change, principal: author }) {
    return { status: 200, body: await changeTool(context, { ...params, change, author }) }
  },
  async remove_tool(context, { params, principal: author }) {
    return { status: 200, body: await dropTool(context, { ...params, author }) }
  },
  async test_tool(context, { params, body: test, principal: author }) {
    return { status: 200, body: await testTool(context, { ...params, test, author }) }
  },
  async list_local_hosts(context) {
    return { status: 200, body: listLocalHosts(context) }
  },
  async allow_local_host(context, { body }) {
    return { status: 200, body: await allowLocalHost(context, body.host) }
  },
}
