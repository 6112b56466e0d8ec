import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client'
import type { JsonValue } from '../../contract/base/json.ts'
import { TooLate } from '../actuator.ts'

export type WireAnswer =
  | { kind: 'result'; result: Readonly<Record<string, JsonValue | undefined>> }
  | { kind: 'error'; code: number; message: string }

export interface SendBounds {
  isLate(): boolean
  isStale?(): boolean
}

/** A request as it went over the wire, because the client library's report does not prove what was sent. */
export interface WiredRequest {
  /** Headers by which the transport recognises the request. The client library passes them on. */
  headers: Record<string, string>
  isLate(): boolean
  begun(): boolean
  answer(): WireAnswer | null
  goes(way: RequestWay): void
  close(): void
}

export interface RequestWay {
  begun(): boolean
  abandon(): void
}

export interface Wire {
  expect(bounds: SendBounds): WiredRequest
  /** Returns the request sent with these headers, or undefined for a request of the session itself. */
  find(headers: Headers): WiredRequest | undefined
  changes(): number
  opening(): boolean
  /**
   * Watches a transport that the client does not use yet. Until the session is open, `isLate` may refuse to
   * send.
   */
  watch(transport: Transport, isLate: () => boolean): void
  opened(): void
}

/** The error thrown if the tools changed after their confirmation, so that the call was not sent. */
export class ToolsChanged extends Error {}

/** An in-process header that names a request. It is removed before the request is sent. */
export const requestHeader = 'x-action-gate-request'

interface Entry extends WiredRequest {
  admit(): void
  handedOver(id: string | number | null): void
  answered(message: JSONRPCMessage): void
}

/** Creates the wire of a session. Over stdio, a message counts as sent once the transport receives it. */
export function createWire(transportType: 'stdio' | 'streamable_http'): Wire {
  const requests = new Map<string, Entry>()
  const isStdio = transportType === 'stdio'
  let count = 0
  let changes = 0
  let opening = true
  return {
    expect(bounds) {
      count += 1
      const name = String(count)
      const entry = createEntry(name, bounds, { isStdio, close: () => requests.delete(name) })
      requests.set(name, entry)
      return entry
    },
    find: headers => requests.get(headers.get(requestHeader) ?? ''),
    changes: () => changes,
    opening: () => opening,
    watch(transport, isLate) {
      const send = transport.send.bind(transport)
      transport.send = async (message, options) => {
        const entry = requests.get(options?.headers?.[requestHeader] ?? '')
        if (entry) {
          entry.admit()
          if ('id' in message) entry.handedOver(message.id ?? null)
        } else if (opening && isLate()) throw new TooLate()
        await send(message, options).catch((error: unknown) => {
          // The program was not running, so the message was never written.
          if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) entry?.handedOver(null)
          throw error
        })
      }
      transport.onmessage = message => {
        if ('method' in message && message.method === 'notifications/tools/list_changed') changes += 1
        for (const entry of requests.values()) entry.answered(message)
      }
    },
    opened() {
      opening = false
    },
  }
}

function createEntry(
  name: string,
  { isLate, isStale }: SendBounds,
  { isStdio, close }: { isStdio: boolean; close: () => void },
): Entry {
  let id: string | number | null = null
  let answer: WireAnswer | null = null
  let way: RequestWay = { begun: () => isStdio && id !== null, abandon: () => undefined }
  return {
    headers: { [requestHeader]: name },
    isLate,
    begun: () => way.begun(),
    answer: () => answer,
    goes(taken) {
      way = taken
    },
    close() {
      close()
      way.abandon()
    },
    admit() {
      if (isLate()) throw new TooLate()
      if (isStale?.()) throw new ToolsChanged('the server told that its tools changed')
    },
    handedOver(given) {
      id = given
    },
    answered(message) {
      if (id === null || 'method' in message || String(message.id) !== String(id)) return
      answer ??= readAnswer(message)
    },
  }
}

function readAnswer(message: JSONRPCMessage): WireAnswer | null {
  if ('error' in message) return { kind: 'error', code: message.error.code, message: message.error.message }
  if (!('result' in message)) return null
  return { kind: 'result', result: message.result as Readonly<Record<string, JsonValue | undefined>> }
}
