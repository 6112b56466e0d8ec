import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { answerOrders } from './child-program.ts'
import { quantile } from './figure.ts'
import type { LoadOrder, LoadReport } from './load.ts'

const requestMsMax = 10_000
const tickMs = 5

answerOrders(async (order: LoadOrder): Promise<LoadReport> => {
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections, scheduling: 'fifo' })
  try {
    return await run(order, agent)
  } finally {
    agent.destroy()
  }
})

async function run(order: LoadOrder, agent: Agent): Promise<LoadReport> {
  const { connections, ms, rate, paths, body } = order
  const { answersMax = body && paths ? paths.length : Number.POSITIVE_INFINITY } = order
  const send = sender(order, agent)
  const begun = performance.now()
  const latencies: number[] = []
  let sent = 0
  const goesOn = (): boolean => performance.now() - begun < ms && sent < answersMax
  const one = async (): Promise<void> => {
    sent += 1
    const sentAt = performance.now()
    await send()
    latencies.push(performance.now() - sentAt)
  }
  if (rate === undefined) await Promise.all(Array.from({ length: connections }, () => loop(one, goesOn)))
  else await paced(one, goesOn, rate)
  const took = performance.now() - begun
  const answers = latencies.length
  return {
    answers,
    ms: took,
    perSecond: (answers * 1000) / took,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }
}

async function loop(one: () => Promise<void>, goesOn: () => boolean): Promise<void> {
  while (goesOn()) await one()
}

/** Sends what is due at every tick. */
async function paced(one: () => Promise<void>, goesOn: () => boolean, rate: number): Promise<void> {
  const begun = performance.now()
  const underWay: Promise<void>[] = []
  while (goesOn()) {
    const due = Math.floor(((performance.now() - begun) / 1000) * rate)
    while (underWay.length < due) underWay.push(one())
    await new Promise(resolve => setTimeout(resolve, tickMs))
  }
  await Promise.all(underWay)
}

/** Sends one request; rejects unless it is answered with a status of success, or with 304. */
function sender({ url, headers, body, paths, expected = 304 }: LoadOrder, agent: Agent): () => Promise<void> {
  const run = randomBytes(6).toString('hex')
  let sent = 0
  return () => {
    const target = paths ? `${url}${paths[sent % paths.length]}` : url
    sent += 1
    const bytes = body ? Buffer.from(`${body[0]}${run}-${sent}${body[1]}`) : null
    return new Promise((resolve, reject) => {
      const call = request(target, {
        method: bytes ? 'POST' : 'GET',
        agent,
        timeout: requestMsMax,
        headers: { ...headers, ...(bytes ? bodyHeaders(bytes) : {}) },
      })
      call.on('response', response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const status = response.statusCode ?? 0
          if ((status >= 200 && status < 300) || status === expected) resolve()
          else reject(new Error(`${target} answered ${status}: ${Buffer.concat(chunks).toString()}`))
        })
      })
      call.on('timeout', () => call.destroy(new Error(`${target} did not answer in ${requestMsMax} ms`)))
      call.on('error', reject)
      call.end(bytes ?? undefined)
    })
  }
}

function bodyHeaders(bytes: Buffer): Record<string, string | number> {
  return { 'content-type': 'application/json', 'content-length': bytes.length }
}
