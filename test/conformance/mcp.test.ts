import { mcpActuator } from '../../shared/actuator/mcp/mcp-actuator.ts'
import { toolHash } from '../../shared/actuator/mcp/tool-request.ts'
import { surroundings } from '../support/fixtures/actuator-surroundings.ts'
import { serveMcp } from '../support/fixtures/mcp-server.ts'
import { type Bench, describeActuator, type Fault } from './describe-actuator.ts'

const description = 'Refund a charge.'
const tool_schema_hash = toolHash({
  name: 'refund',
  description,
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { charge: { type: 'string' } },
    required: ['charge'],
  },
})

async function open(): Promise<Bench> {
  let effects = 0
  let fault: Fault | null = null
  let closing: Promise<void> | null = null
  const server = await serveMcp({
    description,
    meta: [],
    async refund({ charge }) {
      if (fault === 'refuse') throw new Error('no such charge')
      if (fault === 'hang') await new Promise(() => undefined)
      effects += 1
      if (fault === 'cut_after_effect') await server.close()
      return `refunded ${charge}`
    },
  })
  const close = (): Promise<void> => {
    closing ??= server.close()
    return closing
  }
  const transport = { type: 'streamable_http', url: server.url } as const
  const tools = { refund: { error_means_nothing_done: true } }
  return {
    actuator: mcpActuator('refunds', { transport, tools, timeout_ms: 5_000 }, surroundings()),
    effects: () => effects,
    async behave(next) {
      fault = next
      if (next === 'unreachable') await close()
    },
    close,
  }
}

describeActuator('mcp', {
  open,
  operation: 'refund',
  parameters: [{ charge: 'ch_1' }, { charge: 'ch_2' }],
  tool_schema_hash,
  faults: ['refuse', 'cut_after_effect', 'hang', 'unreachable'],
})
