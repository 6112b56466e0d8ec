import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import postgres from 'postgres'
import { type Proposal, proposalSchema } from '../../shared/contract/proposal.ts'
import { answerOrders } from './child-program.ts'

/**
 * The floor of a durable accept: a bare Express handler that parses the proposal with zod and makes the same rows
 * (action, three events, job) in one transaction of five statements. No key, limit, gate, hash or log.
 */
export type FloorOrder = { start: { host: string; user: string; database: string } } | { usage: true }

const poolSize = 10

answerOrders(async (order: FloorOrder) => {
  if ('usage' in order) return cpuSeconds()
  const sql = postgres({ ...order.start, max: poolSize, onnotice: () => undefined })
  await sql.unsafe(tables)
  return { url: await serve(sql) }
})

async function serve(sql: postgres.Sql): Promise<string> {
  const app = express()
  app.use(express.json())
  app.post('/actions', async (request, response) => {
    const parsed = proposalSchema.safeParse(request.body)
    if (!parsed.success) response.status(400).json({ issues: parsed.error.issues })
    else response.status(202).json({ action_id: await accept(sql, parsed.data), status: 'execution_pending' })
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/actions`
}

async function accept(sql: postgres.Sql, proposal: Proposal): Promise<string> {
  const id = randomUUID()
  const decided = { decision: 'allow', status: 'execution_pending' }
  await sql.begin(async tx => {
    await tx`insert into action (action_id, tenant_id, proposal_id, status) values (${id}, 'bench', ${proposal.proposal_id}, 'execution_pending')`
    await tx`insert into event (action_id, sequence, kind, body) values (${id}, 0, 'proposal_received', ${tx.json(proposal)})`
    await tx`insert into event (action_id, sequence, kind, body) values (${id}, 1, 'verdict', ${tx.json(decided)})`
    await tx`insert into event (action_id, sequence, kind, body) values (${id}, 2, 'enqueued', ${tx.json({ attempt: 0 })})`
    await tx`insert into job (action_id, state) values (${id}, 'pending')`
  })
  return id
}

const tables = `
  create table action (
    action_id text primary key, tenant_id text not null, proposal_id text not null, status text not null,
    created_at timestamptz not null default now(), unique (tenant_id, proposal_id)
  );
  create table event (
    action_id text not null references action, sequence int not null, kind text not null, body jsonb not null,
    at timestamptz not null default now(), primary key (action_id, sequence)
  );
  create table job (
    action_id text primary key references action, state text not null, next_run_at timestamptz not null default now()
  );
  create index job_due on job (next_run_at) where state = 'pending'`

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
