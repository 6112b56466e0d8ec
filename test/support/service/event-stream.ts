import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { vi } from 'vitest'
import { type StreamedLeaf, streamedLeafSchema } from '../../../shared/contract/action/audit-log.ts'

/** An event as it came, without anything made up: its id where it had one. */
export interface ReceivedEvent {
  id: number | null
  event: string
  data: Record<string, unknown>
}

/** A live stream that is being read. */
export interface EventStream {
  status: number
  headers: IncomingHttpHeaders
  /** Everything that came so far; comments are events called `comment`. */
  events: ReceivedEvent[]
  leaves(): StreamedLeaf[]
  /** Waits until something has come. */
  until(condition: () => boolean): Promise<void>
  /** Resolves when the stream has ended, whoever ended it. */
  ended: Promise<void>
  /** Take nothing more. */
  pause(): void
  /** Go away. */
  close(): void
}

/** Opens a stream with the headers that are given; resolves when the answer begins. */
export async function openStream(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<EventStream> {
  const { hostname, port } = new URL(url)
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ hostname, port, path, headers, agent: false }, resolve).on('error', reject).end()
  })
  const events: ReceivedEvent[] = []
  let rest = ''
  message.setEncoding('utf8')
  message.on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n\n')
    rest = parts.pop() ?? ''
    events.push(...parts.map(received))
  })
  const ended = new Promise<void>(resolve => {
    message.on('close', resolve)
    message.on('error', () => resolve())
  })
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    events,
    leaves: () =>
      events.filter(({ event }) => event === 'leaf').map(({ data }) => streamedLeafSchema.parse(data)),
    until: condition =>
      vi.waitFor(
        () => {
          if (!condition()) throw new Error(`what came is ${JSON.stringify(events.slice(-5))}`)
        },
        { timeout: 10_000, interval: 5 },
      ),
    ended,
    pause: () => message.pause(),
    close: () => message.destroy(),
  }
}

function received(text: string): ReceivedEvent {
  const fields = new Map(
    text
      .split('\n')
      .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  if (fields.has('')) return { id: null, event: 'comment', data: {} }
  const id = fields.get('id')
  return {
    id: id === undefined ? null : Number(id),
    event: fields.get('event') ?? '',
    data: JSON.parse(fields.get('data') ?? 'null'),
  }
}
