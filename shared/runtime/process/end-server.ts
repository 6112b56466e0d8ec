import type { ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { BoundedServer } from './http-bounds.ts'

export interface ServerEnd {
  /** For so long a connection without a request is kept: a client that is busy sends its next one meanwhile. */
  lingerMs: number
  /** What has not ended by then is cut. */
  msMax: number
}

/** A busy client on a slow line sends its next request sooner. */
export const lingerMsMax = 500
/** A connection that ends later would be kept for a next request. */
const idleCheckMs = 20

/**
 * Take no new connections, answer what comes on those that are there with `Connection: close`, and end. A connection that
 * is closed while its client sends is a reset, of which the client cannot tell whether its request was served; so
 * each is told before that it is the last answer.
 */
export async function endServer(server: BoundedServer, { lingerMs, msMax }: ServerEnd): Promise<void> {
  server.prependListener('request', (_request, response) => sayLast(response))
  for (const response of server.answering) if (!response.headersSent) sayLast(response)
  // That of an HTTP server would close the connections without a request at once.
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
  let idle: NodeJS.Timeout | undefined
  const linger = setTimeout(() => {
    server.closeIdleConnections()
    idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  }, lingerMs)
  const late = setTimeout(() => server.closeAllConnections(), msMax)
  await closed
  for (const timer of [linger, idle, late]) clearTimeout(timer)
  // Closed it is; this ends its look for late requests.
  server.close()
}

function sayLast(response: ServerResponse): void {
  response.setHeader('connection', 'close')
}
