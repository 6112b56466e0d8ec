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
  const { connections, ms, answersMax = Number.POSITIVE_INFINITY, rate } = order
  const post = poster(order, agent)
  const begun = performance.now()
  const latencies: number[] = []
  const goesOn = (): boolean => performance.now() - begun < ms && latencies.length < answersMax
  const one = async (): Promise<void> => {
    const sent = performance.now()
    await post()
    latencies.push(performance.now() - sent)
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

/** Posts one proposal; rejects unless it is answered with a status of success. */
function poster({ url, headers, body: [before, after] }: LoadOrder, agent: Agent): () => Promise<void> {
  const run = randomBytes(6).toString('hex')
  let sent = 0
  return () => {
    sent += 1
    const bytes = Buffer.from(`${before}${run}-${sent}${after}`)
    return new Promise((resolve, reject) => {
      const call = request(url, {
        method: 'POST',
        agent,
        timeout: requestMsMax,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
      })
      call.on('response', response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const status = response.statusCode ?? 0
          if (status >= 200 && status < 300) resolve()
          else reject(new Error(`${url} answered ${status}: ${Buffer.concat(chunks).toString()}`))
        })
      })
      call.on('timeout', () => call.destroy(new Error(`${url} did not answer in ${requestMsMax} ms`)))
      call.on('error', reject)
      call.end(bytes)
    })
  }
}
