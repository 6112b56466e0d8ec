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
  /** Where the metrics are, when they have a port of their own. */
  metrics_url: string | null
  /** Answer requests; those that came before waited. */
  serve(): void
  /**
   * Say that this process ends and go on serving for the configured time; then stop accepting, let requests under way
   * and what busy clients send next end within the configured time, and cut what is left. Before `serve` there is
   * nothing to wait for.
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
      // Without it the listener closes before anybody is told to come again on another connection.
      else if (drain_ms > 0) await delay(drain_ms)
      context.streams.close()
      // Who waits for a change is answered with what there is, in time for the answer to get through.
      const hurry = setTimeout(() => context.watch.close(), msMax / 2)
      // Who was busy sent something while it drained, and was told.
      await endServer(server, { lingerMs: Math.max(0, lingerMsMax - drain_ms), msMax })
      clearTimeout(hurry)
      await metrics?.close()
    },
  }
}
