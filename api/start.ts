import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../shared/flow/context.ts'
import type { OpenedService } from '../shared/flow/open-service.ts'
import { createBoundedServer } from '../shared/runtime/http-bounds.ts'
import type { Logger } from '../shared/runtime/logger.ts'
import { createDoor, takePort } from '../shared/runtime/take-port.ts'
import { createApp, messagesOf } from './http/app.ts'

export interface OpenedApi {
  url: string
  /** Answer requests; those that came before waited. */
  serve(): void
  /**
   * Say that this process ends and go on serving for the configured time; then stop accepting, let requests under way
   * end within the configured time, and cut what is left. Before `serve` there is nothing to wait for.
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

/** Take the port of the API, so that a taken one is found before anything is done. */
export async function openApi({ service, log, host, port }: ApiOptions): Promise<OpenedApi> {
  const { context, counters } = service
  const app = createApp({ context, log, counters: counters?.store ?? null })
  const door = createDoor(app)
  const server = createBoundedServer(context.config, door.listener, messagesOf(app))
  return {
    url: await takePort(server, { host, port, setting: '--port' }),
    serve: door.open,
    async close() {
      context.ending.abort()
      if (door.isOpen()) await delay(context.config.drain_ms)
      else server.closeAllConnections()
      context.streams.close()
      await stop(server, context)
    },
  }
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
