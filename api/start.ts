import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../shared/flow/context.ts'
import type { OpenedService } from '../shared/flow/open-service.ts'
import { createBoundedServer } from '../shared/runtime/http-bounds.ts'
import type { Logger } from '../shared/runtime/logger.ts'
import { StartupError } from '../shared/runtime/startup-error.ts'
import { createApp, messagesOf } from './http/app.ts'

export interface RunningApi {
  url: string
  /**
   * Say that this process ends and go on serving for the configured time; then stop accepting, let requests under way
   * end within the configured time, and cut what is left.
   */
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
  const server = createBoundedServer(context.config, app, messagesOf(app))
  await listen(server, host, port)
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${name}:${address.port}`,
    async close() {
      context.ending.abort()
      await delay(context.config.drain_ms)
      context.streams.close()
      await stop(server, context)
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

async function stop(server: Server, { config: { shutdown_ms_max: msMax }, watch }: Context): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeIdleConnections()
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  // Who waits for a change is answered with what there is, in time for the answer to get through.
  const hurry = setTimeout(() => watch.close(), msMax / 2)
  const late = setTimeout(() => server.closeAllConnections(), msMax)
  await closed
  for (const timer of [idle, hurry, late]) clearTimeout(timer)
}
