import type { Context } from '../shared/flow/core/context.ts'
import { checkReadiness, readinessStatus, version } from '../shared/flow/service/readiness.ts'
import { endServer } from '../shared/runtime/process/end-server.ts'
import { createBoundedServer } from '../shared/runtime/process/http-bounds.ts'
import { createStartupGate, listenOnPort } from '../shared/runtime/process/listen.ts'

export interface OpenedHealth {
  url: string
  /** Begins to answer requests. Earlier requests have been waiting until now. */
  serve(): void
  close(): Promise<void>
}

const answerMsMax = 1_000

/** Opens the port on which a worker serves `/health`, `/ready` and `/metrics` (specification.md#operations). */
export async function openHealth(context: Context, host: string): Promise<OpenedHealth> {
  const { registry } = context.events
  const answers: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/health': async () => json(200, { status: 'ok', version }),
    '/ready': async () => {
      const readiness = await checkReadiness(context)
      return json(readinessStatus(readiness), readiness)
    },
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  }
  const door = createStartupGate((request, response) => {
    const answer = answers[request.url ?? ''] ?? (async () => json(404, { status: 'not_found' }))
    answer()
      .catch(error => {
        context.events.failed('worker_health', error)
        return json(500, { status: 'failed' })
      })
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body))
  })
  const server = createBoundedServer(context.config, door.listener)
  const port = context.config.worker_port
  return {
    url: await listenOnPort(server, { host, port, setting: 'SERVICE_WORKER_PORT (0: a free one)' }),
    serve: door.open,
    close: () => endServer(server, { lingerMs: 0, msMax: answerMsMax }),
  }
}

function json(status: number, body: unknown): { status: number; type: string; body: string } {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
