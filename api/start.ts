import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OpenedService } from '../shared/flow/open-service.ts'
import type { Logger } from '../shared/runtime/logger.ts'
import { StartupError } from '../shared/runtime/startup-error.ts'
import { createApp } from './http/app.ts'

export interface RunningApi {
  url: string
  /** Stop accepting, let requests under way end within the configured time, then cut what is left. */
  close(): Promise<void>
}

export interface ApiOptions {
  service: OpenedService
  log: Logger
  host: string
  /** 0 takes a free port. */
  port: number
}

/** Serve the API over HTTP. */
export async function startApi({ service, log, host, port }: ApiOptions): Promise<RunningApi> {
  const { context, counters } = service
  const app = createApp({ context, log, counters: counters?.store ?? null })
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 10_000, requestTimeout: 60_000 },
    app,
  )
  await listen(server, host, port)
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${name}:${address.port}`,
    close() {
      context.streams.close()
      return stop(server, context.config.shutdown_ms_max)
    },
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint =
        error.code === 'EADDRINUSE' ? 'another process listens there; choose another --port' : error.message
      reject(new StartupError(`cannot listen on ${host}:${port}: ${hint}`))
    })
    server.listen(port, host, resolve)
  })
}

/** A connection whose request ends during the shutdown would be kept for a next one. */
const idleCheckMs = 20

async function stop(server: Server, msMax: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeIdleConnections()
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const late = setTimeout(() => server.closeAllConnections(), msMax)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
