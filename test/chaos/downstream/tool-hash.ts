import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { toolHash } from '../../../shared/actuator/mcp/tool-request.ts'

/** The hash of the tool that the downstream lists, as whoever registers it would take it. */
export async function askToolHash(url: string): Promise<string> {
  const client = new Client({ name: 'chaos', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
  try {
    const { tools } = await client.listTools()
    const [tool] = tools
    if (!tool) throw new Error('the downstream lists no tool')
    return toolHash(tool)
  } finally {
    await client.close()
  }
}
