import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'

export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A server that records what it is sent and answers as it is told. */
export interface Downstream {
  url: string
  port: number
  seen: Seen[]
  close(): Promise<void>
}

export async function startDownstream(
  answer: (seen: Seen, response: ServerResponse, request: IncomingMessage, body: Buffer) => void,
): Promise<Downstream> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const body = Buffer.concat(parts)
      const call = { method, url, headers, body: body.toString() }
      seen.push(call)
      answer(call, response, request, body)
    })
  })
  const port = await listening(server)
  return { url: `http://127.0.0.1:${port}`, port, seen, close: () => closing(server) }
}

/** A server that speaks whatever bytes it is given to each connection, and closes it; `null` keeps it open. */
export async function startRawServer(bytes: string | null): Promise<{ url: string; close(): Promise<void> }> {
  const server = createTcpServer(socket => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => {
      if (bytes !== null) socket.end(bytes)
    })
  })
  const port = await listening(server)
  return { url: `http://127.0.0.1:${port}`, close: () => closing(server) }
}

async function listening(server: Server | TcpServer): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function closing(server: Server | TcpServer): Promise<void> {
  if ('closeAllConnections' in server) server.closeAllConnections()
  return new Promise(resolve => server.close(() => resolve()))
}
