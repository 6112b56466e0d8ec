import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { TooLate } from '../../../shared/actuator/actuator.ts'
import { createWire, type SendBounds, ToolsChanged } from '../../../shared/actuator/mcp/watch-wire.ts'

const call: JSONRPCMessage = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'refund' } }
const listChanged: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

/** A wire over a transport that sends into a list, or not at all. */
function bench(type: 'stdio' | 'streamable_http' = 'stdio', failure: Error | null = null) {
  const sent: JSONRPCMessage[] = []
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    async send(message) {
      if (failure) throw failure
      sent.push(message)
    },
  }
  const wire = createWire(type)
  wire.watch(transport, () => true)
  const send = (bounds: Partial<SendBounds> = {}) => {
    const request = wire.expect({ isLate: () => false, ...bounds })
    return { request, sending: transport.send(call, { headers: request.headers }) }
  }
  return { wire, sent, send, transport, receive: (message: JSONRPCMessage) => transport.onmessage?.(message) }
}

it('a call is not sent once the tools were told to have changed since', async () => {
  const { wire, sent, send, receive } = bench()
  const confirmed = wire.changes()
  receive(listChanged)
  const { request, sending } = send({ isStale: () => wire.changes() !== confirmed })
  await expect(sending).rejects.toThrow(ToolsChanged)
  expect(request.begun()).toBe(false)
  expect(sent).toEqual([])
})

it('a call that is late is not sent', async () => {
  const { sent, send } = bench()
  const { request, sending } = send({ isLate: () => true })
  await expect(sending).rejects.toThrow(TooLate)
  expect(request.begun()).toBe(false)
  expect(sent).toEqual([])
})

it('what opens a session is not sent late, and what ends one is', async () => {
  const { wire, sent, transport } = bench()
  const message: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/cancelled' }
  await expect(transport.send(message)).rejects.toThrow(TooLate)
  wire.opened()
  await transport.send(message)
  expect(sent).toEqual([message])
})

it('a call that was handed to a program counts as sent, unless there was no program', async () => {
  const { request, sending } = bench().send()
  await sending
  expect(request.begun()).toBe(true)
  const gone = bench('stdio', new SdkError(SdkErrorCode.NotConnected, 'Not connected')).send()
  await expect(gone.sending).rejects.toThrow('Not connected')
  expect(gone.request.begun()).toBe(false)
  const broken = bench('stdio', new Error('EPIPE')).send()
  await expect(broken.sending).rejects.toThrow('EPIPE')
  expect(broken.request.begun()).toBe(true)
})

it('a call over HTTP has begun when its connection says so', async () => {
  const { request, sending } = bench('streamable_http').send()
  await sending
  expect(request.begun()).toBe(false)
  request.goes({ begun: () => true, abandon: () => undefined })
  expect(request.begun()).toBe(true)
})

it('an answer is that of the request with its id, and the first of two', async () => {
  const { send, receive } = bench()
  const { request, sending } = send()
  await sending
  receive({ jsonrpc: '2.0', id: 8, result: { content: ['of another'] } })
  expect(request.answer()).toBeNull()
  receive({ jsonrpc: '2.0', id: 7, method: 'ping' })
  expect(request.answer()).toBeNull()
  receive({ jsonrpc: '2.0', id: 7, result: { content: ['first'] } })
  receive({ jsonrpc: '2.0', id: 7, error: { code: 1, message: 'second' } })
  expect(request.answer()).toEqual({ kind: 'result', result: { content: ['first'] } })
})
