import { afterAll, beforeAll, expect, it } from 'vitest'
import { handlers } from '../../api/handlers/handlers.ts'
import { createApp } from '../../api/http/app.ts'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import { startService, type TestService } from '../support/service.ts'

const rows = Object.values(endpoints as Record<string, Endpoint>)

let service: TestService

beforeAll(async () => {
  service = await startService({ worker: null })
})

afterAll(() => service.close())

it('every route of the application is a row of the endpoint table, and every row has its route', () => {
  const { context } = service
  const app = createApp({ context, log: createLogger('silent', { write: () => undefined }), counters: null })
  const routes = (app.router.stack as RouterLayer[])
    .flatMap(({ route }) =>
      route ? Object.keys(route.methods).map(method => `${method} ${route.path}`) : [],
    )
    .filter(route => !route.startsWith('_all '))
  const wanted = rows.map(
    ({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  )
  expect(routes.sort()).toEqual(wanted.sort())
})

it('every row has its handler, and every handler its row', () => {
  expect(Object.keys(handlers).sort()).toEqual(Object.keys(endpoints).sort())
})

it('no two rows are the same request', () => {
  const requests = rows.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(new Set(requests).size).toBe(rows.length)
})

interface RouterLayer {
  route?: { path: string; methods: Record<string, boolean> }
}
