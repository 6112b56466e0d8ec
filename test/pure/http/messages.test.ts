import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { messagesOf } from '../../../api/http/app.ts'

const app = express()
const prototypes: unknown[][] = []
const server = createServer(messagesOf(app), (request, response) => {
  const note = () => prototypes.push([request, response].map(Object.getPrototypeOf))
  note()
  app(request, response)
  note()
})
app.get('/', (request, response) => {
  response.locals.seen = request.query.seen
  response.json(response.locals)
})

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

it('requests and responses begin with the prototypes of Express and own locals', async () => {
  const { port } = server.address() as AddressInfo
  const read = async (query: string) => (await fetch(`http://127.0.0.1:${port}/${query}`)).json()
  expect(await read('?seen=1')).toEqual({ seen: '1' })
  expect(await read('')).toEqual({})
  expect(prototypes).toEqual(Array(4).fill([app.request, app.response]))
  for (const seen of prototypes) {
    expect(seen[0]).toBe(app.request)
    expect(seen[1]).toBe(app.response)
  }
})
