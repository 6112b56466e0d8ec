import type { ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { BoundedServer } from './http-bounds.ts'

export interface ServerEnd {
  /** Milliseconds for which idle connections stay open, because a busy client sends its next request meanwhile. */
  lingerMs: number
  msMax: number
}

/** Half a second is longer than a busy client on a slow line needs to send its next request. */
export const lingerMsMax = 500
const idleCheckMs = 20

/**
 * Takes no new connections, answers requests on existing ones with `Connection: close`, and ends. A client whose
 * connection is reset while it sends cannot tell if its request was served, so each client first gets an answer
 * that says it is the last.
 */
export async function endServer(server: BoundedServer, { lingerMs, msMax }: ServerEnd): Promise<void> {
  server.prependListener('request', (_request, response) => sayLast(response))
  for (const response of server.answering) if (!response.headersSent) sayLast(response)
  // The close of an HTTP server would close idle connections at once, so this calls the close of the TCP server.
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
  let idle: NodeJS.Timeout | undefined
  const linger = setTimeout(() => {
    server.closeIdleConnections()
    idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  }, lingerMs)
  const late = setTimeout(() => server.closeAllConnections(), msMax)
  await closed
  for (const timer of [linger, idle, late]) clearTimeout(timer)
  // The server is closed already; this call ends its timer that looks for late requests.
  server.close()
}

function sayLast(response: ServerResponse): void {
  response.setHeader('connection', 'close')
}
