import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { toolHash } from '../../../shared/actuator/mcp/tool-request.ts'
import type { RealHashes } from '../real/real-systems.ts'

/** The hash of the tool that the downstream lists, as whoever registers it would take it. */
export function askToolHash(url: string): Promise<string> {
  return hashOfTool(new StreamableHTTPClientTransport(new URL('/mcp', url)), 'write')
}

/** The same of servers that nobody here wrote. */
export async function askRealHashes(url: string): Promise<RealHashes> {
  const transport = new StreamableHTTPClientTransport(new URL('/real/mcp', url))
  return { everything: await hashOfTool(transport, 'trigger-long-running-operation') }
}

async function hashOfTool(transport: Transport, name: string): Promise<string> {
  const client = new Client({ name: 'chaos', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    const tool = tools.find(listed => listed.name === name)
    if (!tool) throw new Error(`no tool ${name} is listed`)
    return toolHash(tool)
  } finally {
    await client.close()
  }
}
