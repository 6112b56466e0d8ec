import { z } from 'zod'
import { parseStrictJson } from '../../canon/strict-json.ts'
import { mcpServerNameSchema, mcpServerSchema } from '../../contract/configuration/mcp-actuator.ts'

/** Servers by name, as they stand in a setting. */
export const mcpServers = z
  .string()
  .transform((text, check): unknown => {
    const read = parseStrictJson(Buffer.from(text))
    if (read.ok) return read.value
    check.addIssue({ code: 'custom', message: `must be JSON: ${read.issue.message}` })
    return z.NEVER
  })
  .pipe(z.record(mcpServerNameSchema, mcpServerSchema))
  .transform(servers => new Map(Object.entries(servers)))
