import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { scripted } from './mcp-server.ts'

/** A Model Context Protocol server over standard input and output; MCP_DESCRIPTION is the definition of its tool. */
serveStdio(() =>
  scripted({
    description: process.env.MCP_DESCRIPTION ?? 'Refund a charge.',
    refund({ charge }) {
      if (charge === 'die') process.exit(1)
      return `${charge} with ${process.env.MCP_TOKEN ?? 'no token'} and ${process.env.DATABASE_URL ?? 'no database'}`
    },
    meta: [],
  }),
)
