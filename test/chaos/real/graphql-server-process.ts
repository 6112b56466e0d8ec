import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { createTurns, dataFile, listenOnSocket } from './listen-on-socket.ts'

/** graphql-http as a process: it writes down whatever it is asked for, as often as it is asked, and says what it has. */
const load = createRequire(import.meta.url)
const { buildSchema } = load('graphql') as { buildSchema(text: string): unknown }
const { createHandler } = load('graphql-http/lib/use/http') as {
  createHandler(options: object): (...exchange: Parameters<RequestListener>) => Promise<void>
}

const schema = buildSchema(`
  type Query { shipped(key: String!): String! }
  type Mutation { ship(key: String!, action: String!, tenant: String!, charge: String!): String }
`)
const file = openSync(dataFile, 'a+')
process.once('exit', () => closeSync(file))
const shipped = new Set(existsSync(dataFile) ? readFileSync(dataFile, 'utf8').split('\n') : [])
const beforeMs = createTurns(0, 60)
const afterMs = createTurns(200, 0, 50)

async function ship({ key }: { key: string }): Promise<string> {
  await delay(beforeMs())
  writeSync(file, `${key}\n`)
  fsyncSync(file)
  shipped.add(key)
  await delay(afterMs())
  return 'on its way'
}

const rootValue = { ship, shipped: ({ key }: { key: string }) => (shipped.has(key) ? 'yes' : 'no') }
const handler = createHandler({ schema, rootValue })
listenOnSocket((request, response) => void handler(request, response))
