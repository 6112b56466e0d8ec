import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  agentKey,
  makePlace,
  makeSeed,
  type RunningProcess,
  type ServicePlace,
} from '../../support/service/service-process.ts'
import { proposal } from '../../support/service/tenant.ts'

/** Who sends one request after another on a connection that it keeps, while the service is told to end. */

const clients = 24

let seed: ServicePlace
let place: ServicePlace

beforeAll(async () => {
  seed = await makeSeed()
  place = await makePlace(seed.directory)
})

afterAll(async () => {
  await place.clear()
  await seed.clear()
})

interface Sent {
  path: string
  body?: object
}

/** One request on the connection of an agent: its status, or what went wrong with it. */
function send(url: string, agent: Agent, key: string, { path, body }: Sent): Promise<number | string> {
  return new Promise(resolve => {
    const headers = {
      authorization: `Bearer ${key}`,
      prefer: 'wait=0',
      ...(body ? { 'content-type': 'application/json' } : {}),
    }
    const sent = request(`${url}${path}`, { agent, method: body ? 'POST' : 'GET', headers }, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', error => resolve(error.message))
    })
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(`${error.code} ${sent.reusedSocket}`))
    sent.end(body && JSON.stringify(body))
  })
}

/** Sends until nobody listens any more; every answer in its order, and how it ended. */
async function beBusy({ url }: RunningProcess, key: string, nth: number, served: () => void) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answers = new Set<number>()
  for (;;) {
    const what: Sent = nth % 2 === 0 ? { path: '/health' } : { path: '/v1/actions', body: proposal() }
    const answer = await send(url, agent, key, what)
    if (typeof answer === 'string') {
      agent.destroy()
      return { answers: [...answers], end: answer }
    }
    answers.add(answer)
    served()
  }
}

it('busy clients meet no reset at SIGTERM with the presets, only a closed port', async () => {
  const config = await place.configure()
  const calm = { SERVICE_RATE_LIMIT: '1000000' }
  for (let round = 0; round < 3; round += 1) {
    const db = await place.plant(`busy-${round}`)
    const flags = ['--tenant-db', db, '--config', config, '--bootstrap-admin-key-name', 'ops']
    const service = await place.start(flags, calm)
    const key = await agentKey(service)
    let served = 0
    const busy = Promise.all(
      Array.from({ length: clients }, (_, nth) => beBusy(service, key, nth, () => (served += 1))),
    )
    await expect.poll(() => served, { timeout: 20_000 }).toBeGreaterThan(10 * clients)
    service.process.signal('SIGTERM')
    const ends = await busy
    expect(new Set(ends.map(({ end }) => end))).toEqual(new Set(['ECONNREFUSED false']))
    expect(ends.every(({ answers }) => answers.every(status => status === 200 || status === 202))).toBe(true)
    expect(await service.process.exited).toEqual({ code: 0, signal: null })
  }
}, 120_000)

it('a client without a request does not keep the service', async () => {
  const db = await place.plant('idle')
  const service = await place.start(['--tenant-db', db, '--bootstrap-admin-key-name', 'ops'])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect(await send(service.url, agent, '', { path: '/health' })).toBe(200)
  service.process.signal('SIGTERM')
  expect(await service.process.exited).toEqual({ code: 0, signal: null })
  agent.destroy()
})
