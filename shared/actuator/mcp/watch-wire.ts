import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { JsonValue } from '../../contract/base/json.ts'
import { TooLate } from '../in-time.ts'

/** What the server itself answered to the call of a tool. */
export type ToolAnswer =
  | { kind: 'result'; result: Readonly<Record<string, JsonValue | undefined>> }
  | { kind: 'error'; code: number; message: string }

/** What went over the wire of a session about its call of a tool: the client's own judgement of it is no evidence. */
export interface Wire {
  /** Whether the call was handed to the transport. */
  sent(): boolean
  /** Null where no complete answer came. */
  answer(): ToolAnswer | null
}

/** Watches a transport that no client has taken yet; nothing is sent any more once `isLate` says so. */
export function watchWire(transport: Transport, isLate: () => boolean): Wire {
  const send = transport.send.bind(transport)
  let callId: string | number | undefined
  let answer: ToolAnswer | null = null
  transport.send = async (message, options) => {
    if (isLate()) throw new TooLate()
    if ('method' in message && message.method === 'tools/call' && 'id' in message) callId = message.id
    return send(message, options)
  }
  transport.onmessage = message => {
    if (callId !== undefined && 'id' in message && String(message.id) === String(callId))
      answer ??= readAnswer(message)
  }
  return { sent: () => callId !== undefined, answer: () => answer }
}

function readAnswer(message: JSONRPCMessage): ToolAnswer | null {
  if ('error' in message) return { kind: 'error', code: message.error.code, message: message.error.message }
  if (!('result' in message)) return null
  return { kind: 'result', result: message.result as Readonly<Record<string, JsonValue | undefined>> }
}
