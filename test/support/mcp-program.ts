import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { scripted } from './mcp-server.ts'

/** Tells in a file that it was called, and whom to look for, and waits for another. */
async function held(file: string): Promise<void> {
  writeFileSync(`${file}.called`, String(process.pid))
  while (!existsSync(`${file}.released`)) await delay(20)
}

/** A Model Context Protocol server over standard input and output; MCP_DESCRIPTION is the definition of its tool. */
serveStdio(() =>
  scripted({
    description: process.env.MCP_DESCRIPTION ?? 'Refund a charge.',
    async refund({ charge }) {
      if (charge === 'die') process.exit(1)
      if (charge === 'held') await held(process.env.MCP_HELD ?? '')
      return `${charge} with ${process.env.MCP_TOKEN ?? 'no token'} and ${process.env.DATABASE_URL ?? 'no database'}`
    },
    meta: [],
  }),
)
