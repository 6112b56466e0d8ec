import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { createTurns, dataFile, listenOnSocket } from './listen-on-socket.ts'
import { resourceServer } from './token-clients.ts'

/**
 * json-server as a process, over a file of its own. Only who has a token that the token server knows may ask it anything; the
 * token server is asked each time, and where it is away nothing is done.
 */
interface Locals {
  locals: { data: unknown }
  jsonp(data: unknown): void
}
type Render = (request: IncomingMessage, response: ServerResponse & Locals) => void
interface JsonServer {
  create(): RequestListener & { use(...handlers: unknown[]): void }
  router(db: unknown): { render: Render }
}
type LowDb = (adapter: {
  source: string
  defaultValue: object
  read(): object
  write(data: object): void
}) => object

const load = createRequire(import.meta.url)
const jsonServer = load('json-server') as JsonServer
const low = load('lowdb') as LowDb

/** As the file adapter of the package, and a process that is killed leaves the old file or the new one. */
const atomicFile = {
  source: dataFile,
  defaultValue: { payments: [] },
  read: () =>
    existsSync(dataFile) ? (JSON.parse(readFileSync(dataFile, 'utf8')) as object) : { payments: [] },
  write(data: object): void {
    writeFileSync(`${dataFile}.new`, JSON.stringify(data))
    renameSync(`${dataFile}.new`, dataFile)
  },
}

const app = jsonServer.create()
const router = jsonServer.router(low(atomicFile))
const afterMs = createTurns(0, 150, 350, 40)
router.render = (_request, response) => void delay(afterMs()).then(() => response.jsonp(response.locals.data))
app.use(async ({ headers }: IncomingMessage, response: ServerResponse, next: () => void) => {
  const status = await statusOf((headers.authorization ?? '').replace('Bearer ', ''))
  if (status === 200) next()
  else response.writeHead(status).end()
})
app.use(router)
listenOnSocket(app)

/** 200 where the token is one, 401 where it is none, 503 where nobody says. */
async function statusOf(token: string): Promise<200 | 401 | 503> {
  if (token === '') return 401
  try {
    return JSON.parse(await introspect(token)).active === true ? 200 : 401
  } catch {
    return 503
  }
}

function introspect(token: string): Promise<string> {
  const { client_id, client_secret } = resourceServer
  const asking = request({
    socketPath: process.env.TOKEN_SOCKET,
    method: 'POST',
    path: '/token/introspection',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  asking.end(new URLSearchParams({ token, client_id, client_secret }).toString())
  return new Promise((resolve, reject) => {
    asking.once('error', reject)
    asking.once('response', async response => {
      let text = ''
      response.once('error', reject)
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve(text)
    })
  })
}
