import { randomBytes } from 'node:crypto'
import { type Dispatcher, Pool } from 'undici'
import { quantile } from '../figure.ts'
import type { LoadOrder, LoadReport } from '../setup/load.ts'
import { answerOrders } from './child-program.ts'

const requestMsMax = 10_000
const tickMs = 5

answerOrders(async (order: LoadOrder): Promise<LoadReport> => {
  const pool = new Pool(new URL(order.url).origin, {
    connections: order.connections,
    headersTimeout: requestMsMax,
    bodyTimeout: requestMsMax,
  })
  try {
    return await run(order, pool)
  } finally {
    await pool.destroy()
  }
})

async function run(order: LoadOrder, pool: Pool): Promise<LoadReport> {
  const { connections, ms, rate, paths, body } = order
  const { answersMax = body && paths ? paths.length : Number.POSITIVE_INFINITY } = order
  const send = sender(order, pool)
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
function sender({ url, headers, body, paths, expected = 304 }: LoadOrder, pool: Pool): () => Promise<void> {
  const run = randomBytes(6).toString('hex')
  const { pathname } = new URL(url)
  const method = body ? 'POST' : 'GET'
  const sentHeaders = body ? { ...headers, 'content-type': 'application/json' } : headers
  let sent = 0
  return () => {
    const path = paths ? `${pathname}${paths[sent % paths.length]}` : pathname
    sent += 1
    const text = body && `${body[0]}${run}-${sent}${body[1]}`
    return new Promise((resolve, reject) => {
      const ended = (status: number, answer: string): void => {
        if ((status >= 200 && status < 300) || status === expected) resolve()
        else reject(new Error(`${path} answered ${status}: ${answer}`))
      }
      pool.dispatch({ path, method, headers: sentHeaders, body: text }, createReader(ended, reject))
    })
  }
}

/** The least that undici takes: a stream for each answer would cost as much as the request. */
function createReader(
  ended: (status: number, answer: string) => void,
  failed: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = []
  let status = 0
  return {
    onRequestStart: () => undefined,
    onResponseStart(_controller, code) {
      status = code
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk)
    },
    onResponseEnd: () => ended(status, Buffer.concat(chunks).toString()),
    onResponseError: (_controller, error) => failed(error),
  }
}
