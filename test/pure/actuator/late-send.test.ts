import { afterEach, describe, expect, it } from 'vitest'
import { createEgressGuard } from '../../../shared/actuator/egress/egress-guard.ts'
import type { LookUp } from '../../../shared/actuator/egress/look-up-name.ts'
import { exchange } from '../../../shared/actuator/exchange.ts'
import { httpActuator } from '../../../shared/actuator/http/http-actuator.ts'
import { mcpActuator } from '../../../shared/actuator/mcp/mcp-actuator.ts'
import { toolHash } from '../../../shared/actuator/mcp/tool-request.ts'
import { holdLease } from '../../../shared/flow/execution/claim-jobs.ts'
import { createStopwatch } from '../../../shared/runtime/clock.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { startDownstream } from '../../support/fixtures/http-downstream.ts'
import { serveRawMcp } from '../../support/fixtures/mcp-raw-server.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

const leaseMs = 300

/** Nothing of this process runs meanwhile: no timer fires, and no lease is renewed. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** The loop stands still while the connection is made. */
const stallingLookUp: LookUp = (_hostname, _options, callback) => {
  setImmediate(() => {
    stall(2 * leaseMs)
    callback(null, [{ address: '127.0.0.1', family: 4 }])
  })
}

const tool = { name: 'refund', inputSchema: { type: 'object' } }

describe('a call whose lease runs out before its first byte', () => {
  const stalled = surroundings({ egress: createEgressGuard(['downstream.test'], stallingLookUp) })
  const call = () => {
    const lease = holdLease(createStopwatch(), leaseMs)
    return invocationOf({ operation: 'refund', tool_schema_hash: toolHash(tool), isLate: lease.over })
  }

  it('is not sent over HTTP after a stall, which is proof', async () => {
    const server = await startDownstream((_seen, response) => response.end('{}'))
    opened.push(server)
    const settings = {
      base_url: `http://downstream.test:${server.port}`,
      operations: { refund: { method: 'POST', path: '/' } as const },
    }
    const outcome = await httpActuator('crm', settings, stalled).invoke(call())
    expect(outcome).toMatchObject({ class: 'retry', code: 'too_late' })
    expect(server.seen).toEqual([])
  })

  it('is not sent to an MCP server after a stall, which is proof', async () => {
    const server = await serveRawMcp({ tool, call: () => ({ result: { content: [] } }) })
    opened.push(server)
    const url = `http://downstream.test:${server.port}/mcp`
    const settings = { transport: { type: 'streamable_http', url } as const, tools: { refund: {} } }
    const outcome = await mcpActuator('refunds', settings, stalled).invoke(call())
    expect(outcome).toMatchObject({ class: 'retry', code: 'too_late' })
    expect(server.seen).toEqual([])
  })

  it('is not sent over a connection that an MCP session has already', async () => {
    let listed = false
    const server = await serveRawMcp({
      tool,
      call: () => ({ result: { content: [] } }),
      before(method) {
        listed ||= method === 'tools/list'
        return false
      },
    })
    opened.push(server)
    const settings = {
      transport: { type: 'streamable_http', url: server.url } as const,
      tools: { refund: {} },
      timeout_ms: 20_000,
    }
    const late = { ...call(), isLate: () => listed }
    const outcome = await mcpActuator('refunds', settings, surroundings()).invoke(late)
    expect(outcome).toMatchObject({ class: 'retry', code: 'too_late' })
    expect(listed).toBe(true)
    expect(server.called()).toBe(0)
  })
})

describe('a call whose lease runs out after it was handed to the transport', () => {
  it('is not sent to an MCP server, which is proof', async () => {
    let listed = false
    let asked = 0
    const server = await serveRawMcp({
      tool,
      call: () => ({ result: { content: [] } }),
      before(method) {
        listed ||= method === 'tools/list'
        return false
      },
    })
    opened.push(server)
    const settings = {
      transport: { type: 'streamable_http', url: server.url } as const,
      tools: { refund: {} },
      timeout_ms: 20_000,
    }
    const isLate = () => {
      if (listed) asked += 1
      return asked > 1
    }
    const invocation = invocationOf({ operation: 'refund', tool_schema_hash: toolHash(tool), isLate })
    const outcome = await mcpActuator('refunds', settings, surroundings()).invoke(invocation)
    expect(outcome).toMatchObject({ class: 'retry', code: 'too_late' })
    expect(asked).toBeGreaterThan(1)
    expect(server.called()).toBe(0)
  })
})

describe('an exchange', () => {
  it('begins while there is time, and is not stopped by the clock afterwards', async () => {
    let answered = false
    const server = await startDownstream((_seen, response) => {
      answered = true
      response.end('{}')
    })
    opened.push(server)
    const url = new URL(server.url)
    const exchanged = await exchange(
      { method: 'POST', url, headers: {}, body: '{}' },
      {
        guard: surroundings().egress,
        timeout_ms: 20_000,
        max_response_bytes: 100,
        signal: new AbortController().signal,
        isLate: () => answered,
      },
    )
    expect(exchanged).toMatchObject({ kind: 'answered', answer: { status: 200 } })
  })
})

describe('a lease as its holder knows it', () => {
  it('is over by the clock, and goes on from the moment at which it was asked for anew', () => {
    let now = 0
    const watch = () => {
      const begun = now
      return () => now - begun
    }
    const lease = holdLease(watch(), 100)
    now = 99
    expect(lease.over()).toBe(false)
    const since = watch()
    now = 150
    expect(lease.over()).toBe(true)
    lease.renewed(since)
    expect(lease.over()).toBe(false)
    now = 199
    expect(lease.over()).toBe(true)
  })
})
