import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Queue } from 'bullmq'
import express from 'express'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import { type Proposal, proposalSchema } from '../../../shared/contract/action/proposal-schema.ts'
import { answerOrders } from './child-program.ts'
import { oneByOneQueue } from './one-by-one-queue.ts'
import { accept, acceptRoute, type Enqueue, ledgerTables } from './plain-ledger.ts'

/**
 * The floors of requests, each a bare Express handler without key, limit, gate, hash or log. A durable accept parses the
 * proposal with zod and makes the same rows (action, three events, job) in one transaction of five statements; an
 * approval is one of four; a poll reads one row; an export reads the events of an action; `/parse` is Express and zod.
 * With a Redis it also adds one BullMQ job for each action, which `one-by-one-program` works off.
 */
export type FloorOrder =
  | { start: { host: string; user: string; database: string }; redisUrl?: string }
  | { hold: number }
  | { usage: true }

const poolSize = 10

let sql: postgres.Sql

answerOrders(async (order: FloorOrder) => {
  if ('usage' in order) return cpuSeconds()
  if ('hold' in order) return hold(order.hold)
  sql = postgres({ ...order.start, max: poolSize, onnotice: () => undefined })
  await sql.unsafe(ledgerTables)
  return { url: await serve(order.redisUrl) }
})

async function serve(redisUrl: string | undefined): Promise<string> {
  const ring = redisUrl === undefined ? null : openWakeUpQueue(redisUrl)
  const app = express()
  app.use(express.json())
  const acceptAndRing = async (proposal: Proposal): Promise<string> => {
    const id = await accept(sql, proposal, insertJob)
    await ring?.(id)
    return id
  }
  app.post('/actions', acceptRoute(acceptAndRing))
  app.post('/parse', (request, response) => {
    const parsed = proposalSchema.safeParse(request.body)
    response.status(parsed.success ? 202 : 400).json({ status: 'execution_pending' })
  })
  app.post('/actions/:id/approve', async (request, response) => {
    response.json({ status: await approve(request.params.id) })
  })
  app.get('/actions/:id', async (request, response) => {
    const [row] = await sql`select * from action where action_id = ${request.params.id}`
    response.json(row)
  })
  app.get('/actions/:id/events', async (request, response) => {
    const { id } = request.params
    response.json(await sql`select * from event where action_id = ${id} order by sequence`)
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function openWakeUpQueue(redisUrl: string): (id: string) => Promise<unknown> {
  const queue = new Queue(oneByOneQueue, { connection: new Redis(redisUrl, { maxRetriesPerRequest: null }) })
  const options = { attempts: 1, removeOnComplete: true, removeOnFail: true }
  return id => queue.add('execute', { id }, options)
}

const insertJob: Enqueue = (tx, id) => tx`insert into job (action_id, state) values (${id}, 'pending')`

async function approve(id: string): Promise<string> {
  return sql.begin(async tx => {
    const [held] = await tx`select status from action where action_id = ${id} for update`
    if (held?.status !== 'pending_approval') return 'conflict'
    await tx`update action set status = 'execution_pending' where action_id = ${id}`
    await tx`insert into event (action_id, sequence, kind, body) values (${id}, 2, 'approval', ${tx.json({ by: 'lead' })})`
    await insertJob(tx, id)
    return 'execution_pending'
  })
}

/** So many actions that wait for approval; their ids. */
async function hold(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  await sql`
    insert into action (action_id, tenant_id, proposal_id, status)
    select id, 'bench', id, 'pending_approval' from unnest(${ids}::text[]) id`
  await sql`
    insert into event (action_id, sequence, kind, body)
    select id, at, 'held', '{"by":"bench"}' from unnest(${ids}::text[]) id, generate_series(0, 1) at`
  return ids
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
