import { setTimeout as delay } from 'node:timers/promises'
import type { OpenedService } from '../shared/flow/service/open-service.ts'
import { endServer, lingerMsMax } from '../shared/runtime/process/end-server.ts'
import { createBoundedServer } from '../shared/runtime/process/http-bounds.ts'
import { createStartupGate, listenOnPort } from '../shared/runtime/process/listen.ts'
import type { Logger } from '../shared/runtime/telemetry/logger.ts'
import { createApp, messagesOf } from './http/app.ts'
import { openMetrics } from './http/open-metrics.ts'

export interface OpenedApi {
  url: string
  metrics_url: string | null
  /** Begins to answer. Requests that came earlier have waited for this. */
  serve(): void
  /**
   * Announces the end and continues to serve for the configured time. It then stops accepting, lets current
   * requests and the next ones of busy clients end within the limit, and cuts the rest. Before `serve` it does not
   * wait.
   */
  close(): Promise<void>
}

export interface ApiOptions {
  service: OpenedService
  log: Logger
  host: string
  port: number
}

/** Takes the port of the API first, so that a port in use is found before any other work. */
export async function openApi({ service, log, host, port }: ApiOptions): Promise<OpenedApi> {
  const { context, counters } = service
  const app = createApp({ context, log, counters: counters?.store ?? null })
  const door = createStartupGate(app)
  const server = createBoundedServer(context.config, door.listener, messagesOf(app))
  const metrics = await openMetrics(context, host)
  if (metrics) log.info({ url: metrics.url }, 'metrics listening')
  const url = await listenOnPort(server, { host, port, setting: '--port' })
  context.listening.url = url
  return {
    url,
    metrics_url: metrics?.url ?? null,
    serve: door.open,
    async close() {
      const { drain_ms, shutdown_ms_max: msMax } = context.config
      context.ending.abort()
      if (!door.isOpen()) server.closeAllConnections()
      // Without the delay the listener would close before clients learn to reconnect elsewhere.
      else if (drain_ms > 0) await delay(drain_ms)
      context.streams.close()
      // Waiting requests get the current state after half the time, so that their answers still get through.
      const hurry = setTimeout(() => context.watch.close(), msMax / 2)
      // Busy clients learned of the end during the drain, so the drain time counts as lingering.
      await endServer(server, { lingerMs: Math.max(0, lingerMsMax - drain_ms), msMax })
      clearTimeout(hurry)
      await metrics?.close()
    },
  }
}
