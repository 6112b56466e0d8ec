import { afterAll, beforeAll, expect, it } from 'vitest'
import { handlers } from '../../api/handlers/handlers.ts'
import { createApp } from '../../api/http/app.ts'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { createLogger } from '../../shared/runtime/telemetry/logger.ts'
import { startService, type TestService } from '../support/service/service.ts'

const rows = Object.values(endpoints as Record<string, Endpoint>)

let service: TestService

beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
})

afterAll(() => service.close())

it('each route is a row of the endpoint table, and each row has its route', () => {
  const { context } = service
  const app = createApp({ context, log: createLogger('silent', { write: () => undefined }), counters: null })
  const routes = app.router.stack.flatMap(({ route }) => (route ? [route as unknown as Route] : []))
  const [refusing, serving] = [routes.filter(takesAnyMethod), routes.filter(route => !takesAnyMethod(route))]
  const served = serving.flatMap(({ path, methods }) =>
    Object.keys(methods).map(method => `${method} ${path}`),
  )
  const wanted = [
    frontPage,
    `post ${mcp}`,
    ...rows.map(row => `${row.method.toLowerCase()} ${expressPath(row)}`),
  ]
  expect(served.sort()).toEqual(wanted.sort())
  const refused = refusing.flatMap(({ path }) => path).filter(path => !pages.test(path))
  expect(refused.sort()).toEqual([...new Set([mcp, ...rows.map(expressPath)])].sort())
})

it('every row has its handler, and every handler its row', () => {
  expect(Object.keys(handlers).sort()).toEqual(Object.keys(endpoints).sort())
})

it('no two rows are the same request', () => {
  const requests = rows.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(new Set(requests).size).toBe(rows.length)
})

/** Pages and what they load are files, not rows. */
const pages = /^\/(app|admin|approve|docs|ui)(\/|$)/

/** The Model Context Protocol has a description of its own. */
const mcp = '/mcp'

/** For a person alone: a program learns from it what it learns from any path that is none. */
const frontPage = 'get /'

interface Route {
  path: string | string[]
  methods: Record<string, boolean>
}

/** What answers 405 where no other route did. */
function takesAnyMethod({ methods }: Route): boolean {
  return Object.keys(methods).length > 20
}

function expressPath({ path }: Endpoint): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
