import { errorTable, ServiceError } from '../../shared/contract/base/errors.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { createBoundedServer } from '../../shared/runtime/process/http-bounds.ts'
import { listenOnPort } from '../../shared/runtime/process/listen.ts'
import { refuseWithoutToken } from './metrics-guard.ts'
import { asServiceError } from './reply.ts'

export interface OpenedMetrics {
  url: string
  close(): Promise<void>
}

export async function openMetrics(context: Context, host: string): Promise<OpenedMetrics | null> {
  const { config, events } = context
  if (config.metrics_port === undefined) return null
  const server = createBoundedServer(config, (request, response) => {
    const answer = async (): Promise<string> => {
      if (request.url !== '/metrics') throw new ServiceError('not_found')
      if (request.method !== 'GET') throw new ServiceError('method_not_allowed')
      refuseWithoutToken(request, config)
      return events.registry.metrics()
    }
    answer().then(
      text => response.writeHead(200, { 'content-type': events.registry.contentType }).end(text),
      thrown => {
        const { error, unexpected } = asServiceError(thrown)
        if (unexpected) events.failed('metrics', thrown)
        response
          .writeHead(errorTable[error.code].status, { 'content-type': 'text/plain' })
          .end(`${error.code}\n`)
      },
    )
  })
  const port = { host, port: config.metrics_port, setting: 'SERVICE_METRICS_PORT (0: a free one)' }
  return {
    url: await listenOnPort(server, port),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
