import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What goes wrong once: before the service sees the request, after it answered, in the middle of its answer, or instead of it. */
export type Fault =
  | 'refuse'
  | 'lose'
  | 'truncate'
  | { status: number; headers?: Record<string, string>; body?: string }

export interface Seen {
  method: string
  path: string
  body: string
}

/** What stands between a client and the service in these tests: it counts requests and spoils some of them. */
export interface Front {
  url: string
  seen: Seen[]
  /** The next requests that match go wrong, one after the other. */
  spoil(match: RegExp, ...faults: Fault[]): void
  /** Faults that no request met. */
  left(): number
  close(): Promise<void>
}

/** `without`: headers that it takes out of every request, as some proxies do. */
export async function startFront(target: string, { without = [] as string[] } = {}): Promise<Front> {
  const seen: Seen[] = []
  const faults: { match: RegExp; fault: Fault }[] = []
  const server = createServer((asked, answer) => {
    serve(asked, answer).catch(() => answer.destroy())
  })
  const takeFault = (line: string): Fault | null => {
    const at = faults.findIndex(({ match }) => match.test(line))
    return at < 0 ? null : (faults.splice(at, 1)[0]?.fault ?? null)
  }
  const serve = async (asked: IncomingMessage, answer: ServerResponse) => {
    const body = Buffer.concat(await asked.toArray()).toString()
    const { method = '', url: path = '' } = asked
    seen.push({ method, path, body })
    const fault = takeFault(`${method} ${path}`)
    if (fault === 'refuse') {
      asked.socket.destroy()
      return
    }
    if (typeof fault === 'object' && fault !== null) {
      answer.writeHead(fault.status, fault.headers ?? {}).end(fault.body ?? '')
      return
    }
    for (const name of without) delete asked.headers[name]
    const reply = await forward(`${target}${path}`, asked, body)
    if (fault === 'lose') {
      asked.socket.destroy()
      return
    }
    answer.writeHead(reply.status, reply.headers)
    if (fault === null) answer.end(reply.bytes)
    else answer.write(reply.bytes.subarray(0, reply.bytes.length / 2), () => asked.socket.destroy())
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    spoil: (match, ...wanted) => faults.push(...wanted.map(fault => ({ match, fault }))),
    left: () => faults.length,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function forward(url: string, asked: IncomingMessage, body: string) {
  const sending = request(url, { method: asked.method, headers: asked.headers, agent: false })
  asked.socket.once('close', () => sending.destroy())
  sending.end(body)
  const [reply] = (await once(sending, 'response')) as [IncomingMessage]
  const bytes = Buffer.concat(await reply.toArray())
  return { status: reply.statusCode ?? 0, headers: reply.headers, bytes }
}
