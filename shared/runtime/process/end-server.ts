import type { ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { BoundedServer } from './http-bounds.ts'

export interface ServerEnd {
  /** Milliseconds for which idle connections stay open, so that a busy client can still send its next request. */
  lingerMs: number
  msMax: number
}

/** Half a second is longer than a busy client on a slow line needs to send its next request. */
export const lingerMsMax = 500
const idleCheckMs = 20

/**
 * Ends the server after it has answered each client once more with `Connection: close`. It takes no new
 * connections. If a connection were reset while a client sends, the client could not tell if its request was
 * served.
 */
export async function endServer(server: BoundedServer, { lingerMs, msMax }: ServerEnd): Promise<void> {
  server.prependListener('request', (_request, response) => sayLast(response))
  for (const response of server.answering) if (!response.headersSent) sayLast(response)
  // Closes the TCP server, because the close of an HTTP server would end idle connections at once.
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
  let idle: NodeJS.Timeout | undefined
  const linger = setTimeout(() => {
    server.closeIdleConnections()
    idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  }, lingerMs)
  const late = setTimeout(() => server.closeAllConnections(), msMax)
  await closed
  for (const timer of [linger, idle, late]) clearTimeout(timer)
  // The server is already closed. This call only ends its timer for late requests.
  server.close()
}

function sayLast(response: ServerResponse): void {
  response.setHeader('connection', 'close')
}
