import type { AddressInfo } from 'node:net'
import type { Context } from '../shared/flow/context.ts'
import { checkReadiness, readinessStatus, version } from '../shared/flow/readiness.ts'
import { createBoundedServer } from '../shared/runtime/http-bounds.ts'

/** Serve `/health`, `/ready` and `/metrics` of a worker on its own port (contract section 14). */
export async function serveHealth(
  context: Context,
  host: string,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const { registry } = context.events
  const answers: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/health': async () => json(200, { status: 'ok', version }),
    '/ready': async () => {
      const readiness = await checkReadiness(context)
      return json(readinessStatus(readiness), readiness)
    },
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  }
  const server = createBoundedServer(context.config, (request, response) => {
    const answer = answers[request.url ?? ''] ?? (async () => json(404, { status: 'not_found' }))
    answer()
      .catch(error => {
        context.events.failed('worker_health', error)
        return json(500, { status: 'failed' })
      })
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function json(status: number, body: unknown): { status: number; type: string; body: string } {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
