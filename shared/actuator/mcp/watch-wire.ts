import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client'
import type { JsonValue } from '../../contract/base/json.ts'
import { TooLate } from '../actuator.ts'

/** What the server itself answered to a request. */
export type WireAnswer =
  | { kind: 'result'; result: Readonly<Record<string, JsonValue | undefined>> }
  | { kind: 'error'; code: number; message: string }

/** When a request may still be sent: looked at at the last moment. */
export interface SendBounds {
  /** Whether the time of its attempt is over. */
  isLate(): boolean
  /** Whether what was confirmed for it does not count any more. */
  isStale?(): boolean
}

/** One request of an attempt as it went over the wire: the client's own judgement of it is no evidence. */
export interface WiredRequest {
  /** Headers to send it with: the client passes them to the transport, which knows the request by them. */
  headers: Record<string, string>
  isLate(): boolean
  /** Whether its bytes may have left. */
  begun(): boolean
  /** Null where no complete answer came. */
  answer(): WireAnswer | null
  /** It goes a way that knows whether bytes of it have left. */
  goes(way: RequestWay): void
  /** Nobody waits for it any more. */
  close(): void
}

export interface RequestWay {
  begun(): boolean
  abandon(): void
}

/** The requests of a session that are under way, and what its server told of its tools. */
export interface Wire {
  expect(bounds: SendBounds): WiredRequest
  /** The request that is sent with these headers; undefined: one of the session itself. */
  find(headers: Headers): WiredRequest | undefined
  /** How often the server has told that its tools changed. */
  changes(): number
  /** Whether the session is not open yet. */
  opening(): boolean
  /** Watches a transport that no client has taken yet; `isLate` is for what is sent until the session is open. */
  watch(transport: Transport, isLate: () => boolean): void
  opened(): void
}

/** The tools were told to have changed after they were confirmed: the call was not sent. */
export class ToolsChanged extends Error {}

/** Names a request inside the process; it is taken out before anything is sent. */
export const requestHeader = 'x-action-gate-request'

interface Entry extends WiredRequest {
  admit(): void
  handedOver(id: string | number | null): void
  answered(message: JSONRPCMessage): void
}

/** The wire of a session whose transport is a program's input, where what is handed over counts as sent, or another. */
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
          // There was no program to write to.
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
